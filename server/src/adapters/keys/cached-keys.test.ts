import { expect, test } from 'vitest';
import { cachedKeys } from './cached-keys.ts';
import type { Binding, WrappedKey, WrappingKeys } from './port.ts';
import { newRingSecret, toRingData, unwrapWith, wrapWith } from './ring-data.ts';

/** Returns a ring that counts its calls. */
function counted() {
  const ring = toRingData({ current: 'k1', keys: [{ id: 'k1', secret: newRingSecret() }] });
  const handed: Buffer[] = [];
  return {
    handed,
    keys: {
      current: async () => 'k1',
      ids: async () => ['k1'],
      wrap: async (key: Buffer, binding: Binding) => wrapWith(ring, key, binding),
      async unwrap(wrapped: WrappedKey, binding: Binding) {
        const key = unwrapWith(ring, wrapped, binding);
        handed.push(key);
        return key;
      },
      close: () => undefined,
    } satisfies WrappingKeys,
  };
}

test('a key is unwrapped once within ten minutes, and each caller gets a copy', async () => {
  const { keys, handed } = counted();
  let now = 0;
  const cached = cachedKeys(keys, { clock: { now: () => new Date(now) } });
  const wrapped = await cached.wrap(Buffer.alloc(32, 5), { a: '1' });
  const first = await cached.unwrap(wrapped, { a: '1' });
  first.fill(0);
  expect((await cached.unwrap(wrapped, { a: '1' })).equals(Buffer.alloc(32, 5))).toBe(true);
  expect(handed).toHaveLength(1);
  await expect(cached.unwrap(wrapped, { a: '2' })).rejects.toThrow('cannot decrypt');
  now = 600_000;
  await cached.unwrap(wrapped, { a: '1' });
  expect(handed).toHaveLength(2);
});

test('what was used least recently goes first', async () => {
  const { keys, handed } = counted();
  const cached = cachedKeys(keys, { clock: { now: () => new Date(0) }, limit: 2 });
  const [a, b, c] = await Promise.all([1, 2, 3].map((fill) => cached.wrap(Buffer.alloc(32, fill), {})));
  if (a === undefined || b === undefined || c === undefined) throw new Error('nothing was wrapped');
  for (const wrapped of [a, b, a, c]) await cached.unwrap(wrapped, {});
  expect(handed).toHaveLength(3);
  await cached.unwrap(a, {});
  expect(handed).toHaveLength(3);
  await cached.unwrap(b, {});
  expect(handed).toHaveLength(4);
});
