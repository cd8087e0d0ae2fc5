import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { keyRingContract } from '../contract.ts';
import { openEnvironmentKeyRing } from './key-ring.ts';

function secret(encoding: 'base64' | 'base64url' = 'base64'): string {
  return randomBytes(32).toString(encoding);
}

keyRingContract('in a variable, as secrets', async () => {
  const first = secret();
  const keys = openEnvironmentKeyRing('RING', first);
  return {
    keys,
    again: async () => openEnvironmentKeyRing('RING', first),
    stranger: async () => openEnvironmentKeyRing('RING', secret()),
    rotated: async () => openEnvironmentKeyRing('RING', `${secret('base64url')}, ${first}`),
    close: async () => keys.close(),
  };
});

keyRingContract('in a variable, as JSON', async () => {
  const [first, second] = [secret('base64url'), secret('base64url')];
  const one = JSON.stringify({ current: 'k1', keys: [{ id: 'k1', secret: first }] });
  const keys = openEnvironmentKeyRing('RING', one);
  return {
    keys,
    again: async () => openEnvironmentKeyRing('RING', one),
    stranger: async () =>
      openEnvironmentKeyRing('RING', JSON.stringify({ current: 'k1', keys: [{ id: 'k1', secret: second }] })),
    rotated: async () =>
      openEnvironmentKeyRing(
        'RING',
        JSON.stringify({
          current: 'k2',
          keys: [
            { id: 'k1', secret: first },
            { id: 'k2', secret: second },
          ],
        }),
      ),
    close: async () => keys.close(),
  };
});

describe('a ring in a variable', () => {
  test.each(['', 'canary', `${secret()},canary`, '{"current": "canary"}', '{canary', `${secret()},,`])(
    '%j is refused, and the message repeats nothing of it',
    (value) => {
      expect(() => openEnvironmentKeyRing('MY_RING', value)).toThrow(/^MY_RING(?!.*canary)/);
    },
  );

  test('a key keeps its name wherever it stands', async () => {
    const [one, other] = [secret(), secret()];
    const id = await openEnvironmentKeyRing('RING', one).current();
    const ring = openEnvironmentKeyRing('RING', `${other},${one}`);
    expect(await ring.ids()).toContain(id);
    expect(await ring.current()).not.toBe(id);
  });
});
