import { createHash } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import type { Binding, WrappedKey, WrappingKeys } from './port.ts';

interface Held {
  readonly key: Buffer;
  readonly until: number;
}

/**
 * Remembers what it unwrapped: at most `limit` keys, each for `ttlMs`, so that a key which a KMS no longer gives out stops
 * working. What it forgets it overwrites.
 */
export function cachedKeys(
  keys: WrappingKeys,
  { clock, limit = 1_000, ttlMs = 600_000 }: { clock: Clock; limit?: number; ttlMs?: number },
): WrappingKeys {
  const held = new Map<string, Held>();

  function forget(name: string): void {
    held.get(name)?.key.fill(0);
    held.delete(name);
  }

  function remember(name: string, key: Buffer): void {
    forget(name);
    held.set(name, { key: Buffer.from(key), until: clock.now().getTime() + ttlMs });
    // The one that was used least recently stands first.
    for (const oldest of held.keys()) {
      if (held.size <= limit) break;
      forget(oldest);
    }
  }

  return {
    ...keys,
    async unwrap(wrapped, binding) {
      const name = nameOf(wrapped, binding);
      const known = held.get(name);
      if (known !== undefined && known.until > clock.now().getTime()) {
        held.delete(name);
        held.set(name, known);
        return Buffer.from(known.key);
      }
      forget(name);
      const key = await keys.unwrap(wrapped, binding);
      remember(name, key);
      return key;
    },
    close() {
      for (const name of held.keys()) forget(name);
      keys.close();
    },
  };
}

function nameOf({ ringKey, wrapped }: WrappedKey, binding: Binding): string {
  const entries = Object.entries(binding).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([ringKey, entries]))
    .update(wrapped)
    .digest('hex');
}
