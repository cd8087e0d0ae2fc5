import { createHash } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import type { Binding, WrappedKey, WrappingKeys } from './port.ts';

interface CacheEntry {
  readonly key: Buffer;
  readonly until: number;
}

/**
 * Caches at most `limit` unwrapped keys, each for `ttlMs`, so that a key that a KMS no longer releases stops working.
 * Overwrites evicted keys in memory.
 */
export function cachedKeys(
  keys: WrappingKeys,
  { clock, limit = 1_000, ttlMs = 600_000 }: { clock: Clock; limit?: number; ttlMs?: number },
): WrappingKeys {
  const held = new Map<string, CacheEntry>();

  function forget(name: string): void {
    held.get(name)?.key.fill(0);
    held.delete(name);
  }

  function remember(name: string, key: Buffer): void {
    forget(name);
    held.set(name, { key: Buffer.from(key), until: clock.now().getTime() + ttlMs });
    // The least recently used key comes first.
    for (const oldest of held.keys()) {
      if (held.size <= limit) break;
      forget(oldest);
    }
  }

  return {
    ...keys,
    async unwrap(wrapped, binding) {
      const name = cacheKey(wrapped, binding);
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

function cacheKey({ ringKey, wrapped }: WrappedKey, binding: Binding): string {
  const entries = Object.entries(binding).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([ringKey, entries]))
    .update(wrapped)
    .digest('hex');
}
