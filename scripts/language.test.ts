import { expect, test } from 'vitest';
import { problemsIn, problemsInDocument } from './language.js';

function found(text: string, file = 'server/src/sample.ts'): string[] {
  return problemsIn(file, text).map(({ line, phrase }) => `${line} ${phrase}`);
}

test.each([
  ["throw new Error('This is no git repository.');", ['1 is no']],
  ['const found = `There is no check, and ${name} is none.`;', ['1 is none']],
  ["throw new Error('It is no longer valid, and there are no others.');", []],
  ["import { a } from './is no path.js';", []],
  ['const rows = sql`select 1 where a is none at hand`;', []],
  ["fail('\\nA session may have 64 sessions, ' +\n  'and has them.');", ['2 and has them']],
])('messages: %s', (text, expected) => {
  expect(found(text)).toEqual(expected);
});

test.each([
  ['/** What a session used. */\nexport const a = 1;', ['1 What']],
  ['interface A {\n  /**\n   * Whether it is in effect, and\n   * why.\n   */\n  b: boolean;\n}', ['2 Whether']],
  ['/** Whatsoever. Returns what was used. */\nexport const a = 1;', []],
  ['// What follows is a comment, and no docstring.\nexport const a = 1;', []],
])('docstrings: %j', (text, expected) => {
  expect(found(text)).toEqual(expected);
});

test('the literals of tests are titles and samples, their docstrings are not', () => {
  const text = "/** How it ends. */\ntest('an answer that is none', () => undefined);";
  expect(found(text, 'server/src/sample.test.ts')).toEqual(['1 How']);
});

test.each([
  ['# Title\n\nWhat is left is\nnone of it.\n', ['3 is none']],
  ['A door, and\na door.\n', ['1 door', '2 door']],
  ['Say "is no path", not `is no path`.\n', []],
  ['```sh\nlook at hand "\n```\nA file is no path, "x".\n', ['4 is no']],
])('documents: %j', (text, expected) => {
  const problems = problemsInDocument('docs/sample.md', text);
  expect(problems.map(({ line, phrase }) => `${line} ${phrase}`)).toEqual(expected);
});
