import { expect, test } from 'vitest';
import { mentionNames } from '../follow/public.ts';
import { findCall } from './find.ts';

const names = ['guildhall', 'acme-bot'];

test.each([
  ['@guildhall fix this', 'fix this'],
  ['  @Guildhall: fix this', 'fix this'],
  ['@acme-bot[bot], please fix\n\nThe details.', 'please fix'],
  ['This breaks.\n\n@guildhall\nmake it work', 'make it work'],
  ['@guildhall', ''],
  ['@guildhall off the record, fix it', 'off the record, fix it'],
])('a line that begins with the name calls: %j', (body, title) => {
  expect(findCall(body, names)).toEqual({ title });
});

test.each([
  ['in a sentence', 'We could ask @guildhall to fix this.'],
  ['in a quotation', '> @guildhall fix this\n\nNo, do not.'],
  ['in a code block', '```\n@guildhall fix this\n```'],
  ['in a code block that does not end', '~~~\n@guildhall fix this'],
  ['in indented code', 'For example:\n\n    @guildhall fix this'],
  ['another name', '@guildhall-fan fix this'],
  ['the beginning of a name', '@guild fix this'],
  ['an address', 'ada@guildhall fix this'],
  ['a command of following', '@guildhall off'],
  ['another command', ' @guildhall approve \n'],
  ['nothing', ''],
])('%s calls nobody', (_, body) => {
  expect(findCall(body, names)).toBeUndefined();
});

test('a long hostile comment is read in little time', () => {
  const begin = performance.now();
  for (const piece of ['@', '@guildhall', ' @', '`', '>', '\n', '```\n', '@guildhall:, '])
    findCall(piece.repeat(20_000), ['x']);
  expect(performance.now() - begin).toBeLessThan(1_000);
});

test('the account of a program has a name, that of a person none', () => {
  expect(mentionNames('guildhall-acme[bot]')).toEqual(['guildhall', 'guildhall-acme']);
  expect(mentionNames('project_12_bot_3f')).toEqual(['guildhall', 'project_12_bot_3f']);
  expect(mentionNames('bot')).toEqual(['guildhall', 'bot']);
  expect(mentionNames('ada')).toEqual(['guildhall']);
  expect(mentionNames('abbott')).toEqual(['guildhall']);
});
