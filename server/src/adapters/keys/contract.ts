import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ProviderError } from '../../lib/errors.ts';
import type { WrappingKeys } from './port.ts';

export interface OpenedRing {
  keys: WrappingKeys;
  /** Opens the same ring as another process would. */
  again(): Promise<WrappingKeys>;
  /** Opens another ring, whose keys may have the same names. */
  stranger(): Promise<WrappingKeys>;
  /** Rotates the ring's current key and returns the new ring. */
  rotated(): Promise<WrappingKeys>;
  close(): Promise<void>;
}

/** Contract of every key ring. */
export function keyRingContract(name: string, open: () => Promise<OpenedRing>): void {
  describe(`key ring ${name}`, () => {
    let opened: OpenedRing;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    const binding = { organization: 'org_a', version: '1' };
    const refused = (attempt: Promise<unknown>) =>
      expect(attempt).rejects.toSatisfy((error) => error instanceof ProviderError && !error.retryable);

    test('opens what it wrapped, here and in another process', async () => {
      const key = randomBytes(32);
      const wrapped = await opened.keys.wrap(key, binding);
      expect(wrapped.ringKey).toBe(await opened.keys.current());
      expect(wrapped.wrapped.includes(key)).toBe(false);
      for (const keys of [opened.keys, await opened.again()])
        expect((await keys.unwrap(wrapped, { version: '1', organization: 'org_a' })).equals(key)).toBe(true);
    });

    test('never wraps alike twice', async () => {
      const key = randomBytes(32);
      const [one, other] = [await opened.keys.wrap(key, binding), await opened.keys.wrap(key, binding)];
      expect(one.wrapped.equals(other.wrapped)).toBe(false);
    });

    test('gives each caller a copy of its own', async () => {
      const key = randomBytes(32);
      const wrapped = await opened.keys.wrap(key, binding);
      (await opened.keys.unwrap(wrapped, binding)).fill(0);
      expect((await opened.keys.unwrap(wrapped, binding)).equals(key)).toBe(true);
    });

    test.each<[string, Readonly<Record<string, string>>]>([
      ['another organization', { organization: 'org_b', version: '1' }],
      ['another version', { organization: 'org_a', version: '2' }],
      ['less', { organization: 'org_a' }],
      ['more', { organization: 'org_a', version: '1', more: 'x' }],
    ])('does not open what is bound to %s', async (_name, other) => {
      const wrapped = await opened.keys.wrap(randomBytes(32), other);
      await refused(opened.keys.unwrap(wrapped, binding));
    });

    test('does not open what was changed, cut, or wrapped by a ring of its own', async () => {
      const { ringKey, wrapped } = await opened.keys.wrap(randomBytes(32), binding);
      for (const at of [0, 5, Math.floor(wrapped.length / 2), wrapped.length - 1]) {
        const changed = Buffer.from(wrapped);
        changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
        await refused(opened.keys.unwrap({ ringKey, wrapped: changed }, binding));
      }
      await refused(opened.keys.unwrap({ ringKey, wrapped: wrapped.subarray(0, wrapped.length - 1) }, binding));
      await refused(opened.keys.unwrap({ ringKey: 'unknown', wrapped }, binding));
      const stranger = await opened.stranger();
      await refused(stranger.unwrap({ ringKey, wrapped }, binding));
    });

    test('after a rotation wraps by the new key and opens both', async () => {
      const [before, key] = [await opened.keys.current(), randomBytes(32)];
      const old = await opened.keys.wrap(key, binding);
      const keys = await opened.rotated();
      const current = await keys.current();
      expect(current).not.toBe(before);
      expect(new Set(await keys.ids())).toEqual(new Set([before, current]));
      const fresh = await keys.wrap(key, binding);
      expect(fresh.ringKey).toBe(current);
      for (const wrapped of [old, fresh]) expect((await keys.unwrap(wrapped, binding)).equals(key)).toBe(true);
    });
  });
}
