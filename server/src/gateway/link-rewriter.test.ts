import { array, assert, asyncProperty, nat, string } from 'fast-check';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { htmlLinks, jsonLinks, LinkRewriter } from './link-rewriter.ts';

function rewrite(chunks: readonly Buffer[], pattern: RegExp): LinkRewriter {
  return Readable.from(chunks, { objectMode: false }).pipe(new LinkRewriter(pattern, (link) => `<${link}>`));
}

function cut(bytes: Buffer, positions: readonly number[]): Buffer[] {
  const sorted = [0, ...positions.map((position) => position % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}

test('however JSON is cut, exactly the named links change', async () => {
  await assert(
    asyncProperty(
      array(string({ unit: 'grapheme' })),
      array(nat(100_000), { maxLength: 20 }),
      async (words, positions) => {
        const value = words.map((word) => ({ tarball: `http://x/${word}`, words: `"tarball":"${word}"`, other: 1 }));
        const body = Buffer.from(JSON.stringify(value));
        const changed: unknown = JSON.parse(await text(rewrite(cut(body, positions), jsonLinks('tarball'))));
        expect(changed).toEqual(
          value.map(({ tarball, words: kept, other }) => ({ tarball: `<${tarball}>`, words: kept, other })),
        );
      },
    ),
  );
});

test('a page of many megabytes is rewritten, and bytes that are no text stay', async () => {
  const item = Buffer.concat([Buffer.from('<a href="u">'), Buffer.from([0xff, 0xfe, 0x80]), Buffer.from('</a>')]);
  const page = Buffer.concat(Array.from({ length: 200_000 }, () => item));
  const out = await buffer(
    rewrite(
      cut(
        page,
        Array.from({ length: 300 }, (_, index) => index * 12_345),
      ),
      htmlLinks,
    ),
  );
  expect(out.length).toBe(page.length + 2 * 200_000);
  expect(out.subarray(0, item.length + 2).toString('latin1')).toBe('<a href="<u>">\xff\xfe\x80</a>');
});

test('a link longer than the window is left alone', async () => {
  const body = `{"tarball":"${'x'.repeat(50_000)}","tarball":"y"}`;
  const out = await text(rewrite(cut(Buffer.from(body), [10_000, 20_000, 30_000]), jsonLinks('tarball')));
  expect(out).toBe(body.replace('"y"', '"<y>"'));
});
