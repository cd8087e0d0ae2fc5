import { expect, test } from 'vitest';
import { scanContent } from './secret-check.ts';

const key = ['ghp', 'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx'].join('_');

async function* chunks(parts: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* parts;
}

test.each([
  ['a text', [Buffer.from(`a\n${key}\n`)]],
  ['a file that begins as a binary one', [Buffer.from(`\u0000\n${key}`)]],
  [
    'the metadata of a picture',
    [Buffer.from([0x89, 0x50, 0x0a, 0x00, 0xff]), Buffer.from(key), Buffer.from([0x00, 0xfe])],
  ],
  ['a text in UTF-16', [Buffer.from(`\ufeffGrüße\n${key}\n`, 'utf16le')]],
  ['a text in UTF-16 of the other byte order', [Buffer.from(`\ufeffa = ü\n${key}\n`, 'utf16le').swap16()]],
  ['a text in UTF-16 that is read byte by byte', [...Buffer.from(`a\n${key}`, 'utf16le')].map((one) => Buffer.of(one))],
  ['a binary file with texts in UTF-16', [Buffer.of(0xff, 0, 1, 0x0a), Buffer.from(`${key}\u0000`, 'utf16le')]],
  ['a list of words that end with NUL', [Buffer.from(`a\u0000\n${key}\u0000other\u0000`)]],
])('a key in %s is found', async (_, parts) => {
  const { places, isPartial } = await scanContent('org_1', 'x', chunks(parts));
  expect([places.map(({ line, rule }) => [line, rule]), isPartial]).toEqual([[[2, 'github']], false]);
});

test('a key is found where a long text in UTF-16 is cut into pieces', async () => {
  // A piece ends within the key.
  const before = `${'x'.repeat(256 * 512 - key.length / 2)}\n`;
  const { places } = await scanContent('org_1', 'x', chunks([Buffer.from(`${before}${key}\n`, 'utf16le')]));
  expect(places.map(({ line, rule }) => [line, rule])).toEqual([[2, 'github']]);
});
