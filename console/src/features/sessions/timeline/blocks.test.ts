import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { blocksOf } from './blocks.ts';

test('the parts together are the text', () => {
  const line = fc.constantFrom('', ' ', '```', '~~~ts', '````', 'a', '> b', '- c');
  fc.assert(
    fc.property(fc.array(line), fc.string(), (lines, end) => {
      const text = `${lines.join('\n')}${end}`;
      expect(blocksOf(text).join('')).toBe(text);
    }),
  );
});

test('a text is cut at empty lines, but not within code', () => {
  expect(blocksOf('# A\n\nb\nc\n\n```ts\nd\n\n~~~\ne\n```\n\nf')).toEqual([
    '# A\n\n',
    'b\nc\n\n',
    '```ts\nd\n\n~~~\ne\n```\n\n',
    'f',
  ]);
});

test('code that is not closed yet stays one part', () => {
  expect(blocksOf('a\n\n~~~\nb\n\nc')).toEqual(['a\n\n', '~~~\nb\n\nc']);
});
