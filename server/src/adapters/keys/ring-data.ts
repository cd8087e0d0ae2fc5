import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { ProviderError } from '../../lib/errors.ts';
import type { Binding, WrappedKey } from './port.ts';

const RingFile = Type.Object({
  current: Type.String({ minLength: 1, maxLength: 100 }),
  keys: Type.Array(
    Type.Object({ id: Type.String({ minLength: 1, maxLength: 100 }), secret: Type.String({ minLength: 43 }) }),
    { minItems: 1 },
  ),
});
export type RingFile = Static<typeof RingFile>;

/** A ring with its keys in memory. */
export interface RingData {
  readonly current: string;
  /** Wrapping keys by id, derived from the secrets. */
  readonly keys: ReadonlyMap<string, Buffer>;
}

const format = 1;
const nonceBytes = 12;
const tagBytes = 16;

export function newRingSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Parses JSON; undefined if invalid, because the parser's error would quote the content. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Validates a ring's JSON. Messages name it as `where` and quote no secret. */
export function checkRing(value: unknown, where: string): RingFile {
  if (!Value.Check(RingFile, value)) throw new Error(`${where} is not a key ring.`);
  const ids = new Set<string>();
  for (const { id, secret } of value.keys) {
    if (ids.has(id)) throw new Error(`${where} has two keys with the id ${JSON.stringify(id)}.`);
    if (Buffer.from(secret, 'base64url').length < 32)
      throw new Error(`${where}: the secret of ${JSON.stringify(id)} is shorter than 32 bytes.`);
    ids.add(id);
  }
  if (!ids.has(value.current)) throw new Error(`${where} has no key with the id ${JSON.stringify(value.current)}.`);
  return value;
}

export function toRingData({ current, keys }: RingFile): RingData {
  const derived = keys.map(({ id, secret }): [string, Buffer] => {
    const bytes = Buffer.from(secret, 'base64url');
    return [id, Buffer.from(hkdfSync('sha256', bytes, Buffer.alloc(0), 'guildhall wrapping', 32))];
  });
  return { current, keys: new Map(derived) };
}

/** AES-256-GCM: format, nonce, ciphertext, tag. */
export function wrapWith(ring: RingData, key: Buffer, binding: Binding): WrappedKey {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', keyOf(ring, ring.current), nonce);
  cipher.setAAD(bindingBytes(ring.current, binding));
  const wrapped = Buffer.concat([Buffer.of(format), nonce, cipher.update(key), cipher.final(), cipher.getAuthTag()]);
  return { ringKey: ring.current, wrapped };
}

export function unwrapWith(ring: RingData, { ringKey, wrapped }: WrappedKey, binding: Binding): Buffer {
  const root = keyOf(ring, ringKey);
  try {
    if (wrapped[0] !== format) throw new Error('an unknown format');
    const tagAt = wrapped.length - tagBytes;
    const decipher = createDecipheriv('aes-256-gcm', root, wrapped.subarray(1, 1 + nonceBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(bindingBytes(ringKey, binding));
    decipher.setAuthTag(wrapped.subarray(tagAt));
    return Buffer.concat([decipher.update(wrapped.subarray(1 + nonceBytes, tagAt)), decipher.final()]);
  } catch (cause) {
    throw new ProviderError(`The ring's key ${JSON.stringify(ringKey)} cannot decrypt this data.`, {
      retryable: false,
      cause,
    });
  }
}

function keyOf(ring: RingData, id: string): Buffer {
  const key = ring.keys.get(id);
  if (key !== undefined) return key;
  throw new ProviderError(`The key ring has no key ${JSON.stringify(id)}.`, { retryable: false });
}

function bindingBytes(ringKey: string, binding: Binding): Buffer {
  const entries = Object.entries(binding).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Buffer.from(JSON.stringify(['guildhall key', format, ringKey, entries]));
}
