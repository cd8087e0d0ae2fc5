import { createHash } from 'node:crypto';
import type { WrappingKeys } from '../port.ts';
import { checkRing, parseJson, toRingData, unwrapWith, wrapWith } from '../ring-data.ts';

/**
 * Opens a ring in a variable's value: the JSON of a ring file, or comma-separated secrets of at least 32 bytes in base64 or
 * base64url, the first of which is the current key. Their ids are digests, so that their order may change. Throws for an
 * invalid value, with the name `variable`.
 */
export function openEnvironmentKeyRing(variable: string, value: string): WrappingKeys {
  const ring = toRingData(checkRing(value.trimStart().startsWith('{') ? parseJson(value) : parseList(value), variable));
  return {
    current: async () => ring.current,
    ids: async () => [...ring.keys.keys()],
    wrap: async (key, binding) => wrapWith(ring, key, binding),
    unwrap: async (wrapped, binding) => unwrapWith(ring, wrapped, binding),
    close() {
      for (const key of ring.keys.values()) key.fill(0);
    },
  };
}

function parseList(value: string): unknown {
  const secrets = value.split(',').map((secret) => secret.trim());
  if (!secrets.every((secret) => /^[A-Za-z0-9+/_-]+={0,2}$/.test(secret))) return undefined;
  const keys = secrets.map((secret) => {
    const bytes = Buffer.from(secret, 'base64url');
    const digest = createHash('sha256').update('guildhall key id').update(bytes).digest('hex');
    return { id: `e${digest.slice(0, 12)}`, secret: bytes.toString('base64url') };
  });
  return { current: keys[0]?.id, keys };
}
