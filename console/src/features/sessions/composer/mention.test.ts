import { expect, test } from 'vitest';
import { complete, mentionAt } from './mention.ts';

const at = (text: string) => mentionAt(text, text.length);

test('a sign at the beginning of a word names something', () => {
  expect(at('See @src/in')).toEqual({ kind: 'file', query: 'src/in', from: 4, to: 11 });
  expect(at('#')).toEqual({ kind: 'note', query: '', from: 0, to: 1 });
  expect(at('(@x')).toMatchObject({ query: 'x' });
  expect(at('Write them by /rel')).toEqual({ kind: 'skill', query: 'rel', from: 14, to: 18 });
});

test('an address, a finished word and a sign long ago name nothing', () => {
  expect(at('ada@example.com')).toBeUndefined();
  expect(at('https://example.com/x')).toBeUndefined();
  expect(at('@src/x and')).toBeUndefined();
  expect(at(`@${'x'.repeat(200)}`)).toBeUndefined();
  expect(mentionAt('@src', 0)).toBeUndefined();
});

test('a name takes the place of what was typed, and the caret stands behind it', () => {
  const text = 'See @in and #';
  expect(complete(text, { kind: 'file', query: 'in', from: 4, to: 7 }, 'src/index.ts')).toEqual({
    text: 'See @src/index.ts and #',
    caret: 18,
  });
  expect(complete(text, { kind: 'note', query: '', from: 12, to: 13 }, 'Error messages')).toEqual({
    text: 'See @in and #Error messages ',
    caret: 28,
  });
});
