import { expect, test } from 'vitest';
import { resultOf, tagsOf } from './bulk-result.ts';

test('each refused session keeps its title and the reason', () => {
  const sessions = [
    { id: 'ses_1', title: 'One' },
    { id: 'ses_2', title: 'Two' },
  ];
  const error = { code: 'invalid_transition', message: 'It still runs.' };
  expect(
    resultOf(sessions, [
      { id: 'ses_1', ok: true, error: null },
      { id: 'ses_2', ok: false, error },
    ]),
  ).toEqual({ done: 1, refused: [{ id: 'ses_2', title: 'Two', reason: 'It still runs.' }] });
});

test('tags are parted by commas', () => {
  expect(tagsOf(' nightly, deps,,nightly ,')).toEqual(['nightly', 'deps']);
  expect(tagsOf(' , ')).toEqual([]);
});
