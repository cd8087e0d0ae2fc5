import { expect, test } from 'vitest';
import { AppError } from './errors.ts';
import { fieldError, fieldNames, InvalidFields } from './field-error.ts';

test('a refusal names its field alone until somebody says where it stood', () => {
  const error = fieldError('/budget/max_turns', 'must be at least 1.');
  expect(error).toBeInstanceOf(AppError);
  expect([error.code, error.message]).toEqual(['invalid_request', 'budget.max_turns must be at least 1.']);
  expect(error.messageWith(fieldNames('body'))).toBe('body.budget.max_turns must be at least 1.');
});

test('what follows a colon follows the name at once', () => {
  const error = fieldError('/ref', ': the repository has no "x".', { code: 'forbidden', details: { path: '/ref' } });
  expect([error.code, error.message, error.details]).toEqual([
    'forbidden',
    'ref: the repository has no "x".',
    { path: '/ref' },
  ]);
});

test('a sentence may name several fields', () => {
  const error = fieldError('/line', (name) => `${name('/start')} must come with ${name('/line')}.`);
  expect([error.message, error.messageWith(fieldNames('query'))]).toEqual([
    'start must come with line.',
    'query.start must come with query.line.',
  ]);
});

test('of several problems the first is the message; a pointer to nothing is the whole input', () => {
  const problems = [
    { path: '', message: 'must name something' },
    { path: '/a~1b', message: 'is odd' },
  ];
  const error = new InvalidFields(problems);
  expect([error.message, error.problems]).toEqual(['The input must name something.', problems]);
  expect(error.messageWith(fieldNames('body'))).toBe('body must name something.');
  expect(fieldNames('arguments')('/a~1b')).toBe('arguments.a/b');
});
