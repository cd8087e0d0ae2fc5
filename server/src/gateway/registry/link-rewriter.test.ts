import { array, assert, asyncProperty, jsonValue, nat, string } from 'fast-check';
import { createHmac } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { JsonLinkRewriter } from './json-link-rewriter.ts';
import { htmlLinks, LinkRewriter } from './link-rewriter.ts';
import { RewriteTransform, type Rewriter } from '../net/rewrite-transform.ts';

const place = ['versions', '*', 'dist', 'tarball'];
const marked = (link: string): string => `<${link}>`;

function rewrite(chunks: readonly Buffer[], rewriter: Rewriter): Readable {
  return Readable.from(chunks, { objectMode: false }).pipe(new RewriteTransform(rewriter));
}

function cut(bytes: Buffer, positions: readonly number[]): Buffer[] {
  const sorted = [0, ...positions.map((position) => position % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}

test('however JSON is cut and written, exactly the links at the place change', async () => {
  await assert(
    asyncProperty(
      array(string({ unit: 'grapheme' })),
      jsonValue(),
      array(nat(100_000), { maxLength: 20 }),
      nat(3),
      async (words, other, positions, indent) => {
        const document = (change: (word: string) => string): object => ({
          readme: `"tarball":"${words.join('')}"`,
          dist: { tarball: other },
          versions: Object.fromEntries(
            words.map((word, index) => [
              `${word}${index}`,
              { other, tarball: word, dist: { list: [other], tarball: change(word), dist: { tarball: word } } },
            ]),
          ),
          more: { versions: { x: { dist: { tarball: 'x' } } }, other, list: [{ dist: { tarball: 'x' } }] },
        });
        const body = Buffer.from(JSON.stringify(document(String), null, indent));
        const changed: unknown = JSON.parse(
          await text(rewrite(cut(body, positions), new JsonLinkRewriter(place, marked))),
        );
        expect(changed).toEqual(JSON.parse(JSON.stringify(document(marked))));
      },
    ),
  );
});

test.each([
  [
    'an array on the way',
    '{"files":[{"url":"a"},[{"url":"b"}],{"url":"c"}]}',
    '{"files":[{"url":"<a>"},[{"url":"b"}],{"url":"<c>"}]}',
  ],
  ['a key that is escaped', '{"f\\u0069les":[{"ur\\u006c":"a\\/b"}]}', '{"f\\u0069les":[{"ur\\u006c":"<a/b>"}]}'],
  ['no JSON', '}]}{"files":["url":"a"', '}]}{"files":["url":"a"'],
  ['a text that breaks off', '{"files":[{"url":"a', '{"files":[{"url":"a'],
  [
    'a link longer than is held',
    `{"files":[{"url":"${'x'.repeat(9000)}"},{"url":"y"}]}`,
    `{"files":[{"url":"${'x'.repeat(9000)}"},{"url":"<y>"}]}`,
  ],
])('%s is read as its reader does', async (_name, body, wanted) => {
  for (const size of [1, 7, 100_000]) {
    const chunks = Array.from({ length: Math.ceil(body.length / size) }, (_, index) =>
      Buffer.from(body.slice(index * size, (index + 1) * size)),
    );
    expect(await text(rewrite(chunks, new JsonLinkRewriter(['files', '*', 'url'], marked)))).toBe(wanted);
  }
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
      new LinkRewriter(htmlLinks, marked),
    ),
  );
  expect(out.length).toBe(page.length + 2 * 200_000);
  expect(out.subarray(0, item.length + 2).toString('latin1')).toBe('<a href="<u>">\xff\xfe\x80</a>');
});

test('a link longer than the window is left alone', async () => {
  const body = `<a href="${'x'.repeat(50_000)}"><a href="y">`;
  const out = await text(
    rewrite(cut(Buffer.from(body), [10_000, 20_000, 30_000]), new LinkRewriter(htmlLinks, marked)),
  );
  expect(out).toBe(body.replace('"y"', '"<y>"'));
});

test('others have their turns while a page is rewritten, however many links one chunk of it holds', async () => {
  const page = Buffer.from('<a href="https://files.example/demo-1.0.whl">'.repeat(50_000));
  let turns = 0;
  let isDone = false;
  const others = (): void => {
    turns += 1;
    if (!isDone) setImmediate(others);
  };
  setImmediate(others);
  // As expensive as a signature for each link.
  const sign = (link: string): string => createHmac('sha256', link).update(link).digest('hex');
  await buffer(rewrite([page], new LinkRewriter(htmlLinks, sign)));
  isDone = true;
  expect(turns).toBeGreaterThan(8);
});

test('a page without an end is cut after 256 MiB', async () => {
  const chunk = Buffer.alloc(1024 * 1024);
  let read = 0;
  const endless = Readable.from(
    (function* () {
      for (;;) {
        read += chunk.length;
        yield chunk;
      }
    })(),
    { objectMode: false },
  );
  const page = new RewriteTransform(
    { push: () => Buffer.alloc(0), end: () => Buffer.alloc(0) },
    { maxBytes: 256 * 1024 * 1024 },
  );
  await expect(pipeline(endless, page, nowhere())).rejects.toThrow('The response is too long.');
  expect(read).toBeLessThan(260 * 1024 * 1024);
}, 60_000);

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
