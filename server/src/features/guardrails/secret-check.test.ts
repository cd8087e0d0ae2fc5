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
])('a key in %s is found', async (_, parts) => {
  const { places, isPartial } = await scanContent('org_1', 'x', chunks(parts));
  expect([places.map(({ line, rule }) => [line, rule]), isPartial]).toEqual([[[2, 'github']], false]);
});
