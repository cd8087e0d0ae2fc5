import { expect, test } from 'vitest';
import { readReply } from './replies.ts';

test.each([
  ["Won't fix, the cache may be stale.", 'dismissal'],
  ['This is by design.', 'dismissal'],
  ['wontfix', 'dismissal'],
  ['False positive: the caller checks it.', 'dismissal'],
  ["That's not a bug", 'dismissal'],
  ['Is this by design?', 'question'],
  ['This is not by design, thanks!', 'other'],
  ['Fixed in the last commit.', 'fixed'],
  ['Done', 'fixed'],
  ['Not fixed yet.', 'other'],
  ["It isn't fixed", 'other'],
  ['Why was this flagged?', 'question'],
  ['> This is by design.\n\nI disagree with that.', 'other'],
  ['The text `by design` is in the code.', 'other'],
  ['Thanks!', 'other'],
  [`${'a'.repeat(100_000)} by design`, 'other'],
])('%s is a %s', (body, kind) => {
  expect(readReply(body)).toBe(kind);
});

test('is read in linear time', () => {
  const started = performance.now();
  for (const part of ['> ', '`', '```', 'not really ', 'won’t ', '? ', '. ']) readReply(part.repeat(30_000));
  expect(performance.now() - started).toBeLessThan(1_000);
});
