import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collectGarbage } from '../../../test/support/garbage.ts';
import { ProviderError } from '../../lib/errors.ts';
import type { BlobInfo, BlobStore } from './port.ts';

/** Contract of every blob store; `open` returns an empty one. */
export function blobStoreContract(
  name: string,
  open: () => Promise<{ store: BlobStore; close(): Promise<void> }>,
): void {
  describe(`blob store ${name}`, () => {
    let store: BlobStore;
    let close: () => Promise<void>;

    beforeAll(async () => {
      const opened = await open();
      store = opened.store;
      close = () => opened.close();
    });

    afterAll(() => close());

    async function keys(prefix: string): Promise<string[]> {
      const found: BlobInfo[] = [];
      for await (const info of store.list(prefix)) found.push(info);
      return found.map(({ key }) => key);
    }

    const read = (key: string) => store.getBuffer(key, { maxBytes: 1_000_000 });

    test('gives back what was put, as a stream and as a buffer, with size and digest', async () => {
      const content = randomBytes(300_000);
      const stored = await store.put('org_1/ses_1/log.txt', content);
      expect(stored).toEqual({ sizeBytes: 300_000, sha256: createHash('sha256').update(content).digest('hex') });
      const stream = await store.get('org_1/ses_1/log.txt');
      expect(stream === undefined ? undefined : content.equals(await buffer(stream))).toBe(true);
      expect((await read('org_1/ses_1/log.txt'))?.equals(content)).toBe(true);
      expect(await store.head('org_1/ses_1/log.txt')).toMatchObject({ key: 'org_1/ses_1/log.txt', sizeBytes: 300_000 });
    });

    test('takes a stream and an empty content', async () => {
      const source = Readable.from([Buffer.from('one '), Buffer.from('two')]);
      expect(await store.put('stream', source)).toMatchObject({ sizeBytes: 7 });
      expect((await read('stream'))?.toString()).toBe('one two');
      expect(await store.put('empty', Buffer.alloc(0))).toMatchObject({ sizeBytes: 0 });
      expect(await read('empty')).toEqual(Buffer.alloc(0));
    });

    test('a put replaces, and a reader keeps what it opened', async () => {
      await store.put('replaced/a', Buffer.from('old'));
      const before = await store.get('replaced/a');
      await store.put('replaced/a', Buffer.from('new'));
      expect(before === undefined ? '' : String(await buffer(before))).toBe('old');
      expect(String(await read('replaced/a'))).toBe('new');
    });

    test('what is missing is undefined, and deleting it is no error', async () => {
      await store.put('present/a', Buffer.from('a'));
      for (const key of ['missing', 'present/b', 'present/a/c']) {
        expect(await store.get(key)).toBeUndefined();
        expect(await read(key)).toBeUndefined();
        expect(await store.head(key)).toBeUndefined();
        await store.delete(key);
      }
      expect(await store.head('present')).toBeUndefined();
      await store.delete('present/a');
      expect(await read('present/a')).toBeUndefined();
    });

    test('more than maxBytes is refused for good', async () => {
      await store.put('large', randomBytes(2_000));
      expect(await store.getBuffer('large', { maxBytes: 2_000 })).toHaveLength(2_000);
      const refused = store.getBuffer('large', { maxBytes: 1_999 });
      await expect(refused).rejects.toThrow(ProviderError);
      await expect(refused).rejects.toMatchObject({ retryable: false });
    });

    test('lists by prefix in the order of the keys', async () => {
      const all = ['list/a', 'list/a-b/c', 'list/a.b', 'list/ab/c', 'list/b/c/d', 'list/b/c2', 'listed'];
      for (const key of [...all].reverse()) await store.put(key, Buffer.from('x'));
      expect(await keys('list/')).toEqual(['list/a', 'list/a-b/c', 'list/a.b', 'list/ab/c', 'list/b/c/d', 'list/b/c2']);
      expect(await keys('list')).toEqual([
        'list/a',
        'list/a-b/c',
        'list/a.b',
        'list/ab/c',
        'list/b/c/d',
        'list/b/c2',
        'listed',
      ]);
      expect(await keys('list/b/c')).toEqual(['list/b/c/d', 'list/b/c2']);
      expect(await keys('list/b/c/')).toEqual(['list/b/c/d']);
      expect(await keys('nothing/')).toEqual([]);
      expect(await keys('')).toEqual(expect.arrayContaining(all));
    });

    test('an aborted put leaves nothing and throws the reason', async () => {
      await store.put('aborted/before', Buffer.from('old'));
      for (const key of ['aborted/before', 'aborted/new']) {
        const abort = new AbortController();
        const source = Readable.from(
          (async function* () {
            yield randomBytes(200_000);
            abort.abort(new Error('enough'));
            yield randomBytes(200_000);
          })(),
        );
        await expect(store.put(key, source, { signal: abort.signal })).rejects.toThrow('enough');
      }
      const stalled = new Readable({ read: () => undefined });
      const put = store.put('aborted/stalled', stalled, { signal: AbortSignal.timeout(20) });
      await expect(put).rejects.toThrow('timeout');
      await expect(store.put('aborted/never', Buffer.from('x'), { signal: AbortSignal.abort() })).rejects.toThrow();
      expect(await keys('aborted/')).toEqual(['aborted/before']);
      expect(String(await read('aborted/before'))).toBe('old');
    });

    test('a source that fails leaves nothing', async () => {
      const source = Readable.from(
        (async function* () {
          yield randomBytes(200_000);
          throw new Error('the source broke');
        })(),
      );
      await expect(store.put('broken/a', source)).rejects.toThrow('the source broke');
      expect(await keys('broken/')).toEqual([]);
    });

    test('no put fails because deletes empty its directory meanwhile', async () => {
      const one = async (index: number): Promise<void> => {
        await store.put(`emptied/by/others/${index}`, Buffer.from('x'));
        await store.delete(`emptied/by/others/${index}`);
      };
      for (let round = 0; round < 20; round += 1)
        await Promise.all(Array.from({ length: 16 }, (_, index) => one(index)));
    });

    test('of concurrent puts and deletes of a key one wins whole', async () => {
      const contents = Array.from({ length: 12 }, (_, index) => Buffer.alloc(100_000, index + 1));
      await Promise.all(
        contents.flatMap((content, index) => [
          store.put('concurrent/dir/key', Readable.from([content.subarray(0, 50_000), content.subarray(50_000)])),
          index % 3 === 0 ? store.delete('concurrent/dir/key') : store.put(`concurrent/dir/${index}`, content),
        ]),
      );
      await store.put('concurrent/dir/key', contents[3] ?? Buffer.alloc(0));
      const winner = await read('concurrent/dir/key');
      expect(winner?.equals(Buffer.alloc(100_000, 4))).toBe(true);
    });

    test('memory does not grow with the content', async () => {
      const chunk = randomBytes(64 * 1024);
      const before = process.memoryUsage().arrayBuffers;
      let most = 0;
      const source = Readable.from(
        (function* () {
          for (let index = 0; index < 2_048; index += 1) {
            if (index % 256 === 0) collectGarbage();
            most = Math.max(most, process.memoryUsage().arrayBuffers - before);
            yield Buffer.from(chunk);
          }
        })(),
        { highWaterMark: 1 },
      );
      expect(await store.put('huge', source)).toMatchObject({ sizeBytes: 128 * 1024 * 1024 });
      expect(most).toBeLessThan(64 * 1024 * 1024);
      await store.delete('huge');
    });

    test.each([
      '',
      '/',
      '/a',
      'a/',
      'a//b',
      '.',
      '..',
      '../a',
      'a/../b',
      'a/./b',
      '.tmp/a',
      'a/.hidden',
      'a\\b',
      'a b',
      'ä',
      'a\0',
      'a\n',
      'a'.repeat(129),
      `${'a/'.repeat(10)}a`,
      Array.from({ length: 5 }, () => 'a'.repeat(120)).join('/'),
    ])('%j is no key', async (key) => {
      await expect(store.put(key, Buffer.from('x'))).rejects.toThrow(RangeError);
      await expect(store.get(key)).rejects.toThrow(RangeError);
      await expect(store.head(key)).rejects.toThrow(RangeError);
      await expect(store.delete(key)).rejects.toThrow(RangeError);
      if (key !== '' && key !== 'a/') expect(() => store.list(key)).toThrow(RangeError);
    });
  });
}
