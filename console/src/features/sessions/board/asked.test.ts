import { expect, test } from 'vitest';
import { askedOf, isWhole, writtenOf } from './asked.ts';

const request = { tool: '', input: {}, plan: '' };

test('a plan is its number of steps and its first line', () => {
  const plan = '# Due dates\n\n1. Add a column\n2. Fill it\n   - by a migration\n';
  expect(askedOf({ kind: 'plan', request: { ...request, plan } })).toBe('Plan, 3 steps: Due dates');
  expect(askedOf({ kind: 'plan', request: { ...request, plan: '1) Only this' } })).toBe('Plan, 1 step: Only this');
  expect(askedOf({ kind: 'plan', request: { ...request, plan: 'I rename it.' } })).toBe('I rename it.');
});

test('a call is its tool and the start of its input', () => {
  const asked = askedOf({ kind: 'tool', request: { ...request, tool: 'shell', input: { command: 'x'.repeat(999) } } });
  expect(asked).toMatch(/^shell: {"command":"x+…$/);
  expect(asked.length).toBeLessThan(310);
  expect(isWhole(asked)).toBe(false);
  expect(isWhole(askedOf({ kind: 'tool', request: { ...request, tool: 'shell', input: { command: 'ls' } } }))).toBe(
    true,
  );
});

test('an input is written without characters that reorder it', () => {
  expect(writtenOf({ command: 'rm \u202ecba\u202c' })).toBe('{"command":"rm ‹U+202E›cba‹U+202C›"}');
});
