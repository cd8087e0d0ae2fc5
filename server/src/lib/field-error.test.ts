import { expect, test } from 'vitest';
import { AppError } from './errors.ts';
import { FieldError, fieldError, fieldNames, messageOfField } from './field-error.ts';

test('a refusal names its field alone until somebody says where it stood', () => {
  const error = fieldError('/budget/max_turns', 'must be at least 1.');
  expect(error).toBeInstanceOf(AppError);
  expect([error.code, error.message]).toEqual(['invalid_request', 'budget.max_turns must be at least 1.']);
  expect(error.messageWith(fieldNames('body'))).toBe('body.budget.max_turns must be at least 1.');
});

test('what follows a colon follows the name at once', () => {
  const error = fieldError('/ref', ': the repository has no "x".', { code: 'forbidden', details: { found: 1 } });
  expect([error.code, error.message, error.details]).toEqual([
    'forbidden',
    'ref: the repository has no "x".',
    { found: 1 },
  ]);
});

test('a message may name other fields', () => {
  const error = fieldError('/start', (name) => `must come with ${name('/line')}`);
  expect([error.message, error.messageWith(fieldNames('query'))]).toEqual([
    'start must come with line.',
    'query.start must come with query.line.',
  ]);
});

test.each([
  ['must be a URL', 'must be a URL'],
  ['must be a URL.', 'must be a URL'],
  [': it is taken.', 'it is taken'],
  ['is taken. Choose another.', 'is taken. Choose another.'],
  ['is not a known key; did you mean name?', 'is not a known key; did you mean name?'],
])('%j tells a program %j', (message, told) => {
  expect(messageOfField({ path: '/a', message }, fieldNames('body'))).toBe(told);
});

test('of several issues the first is the message; a pointer to nothing is the whole input', () => {
  const issues = [
    { path: '', message: 'must name something' },
    { path: '/a~1b', message: 'is odd' },
  ];
  const error = new FieldError(issues);
  expect([error.message, error.issues]).toEqual(['The input must name something.', issues]);
  expect(error.messageWith(fieldNames('body'))).toBe('body must name something.');
  expect(fieldNames('arguments')('/a~1b')).toBe('arguments.a/b');
});
