import { expect, test } from 'vitest';
import { isOn } from './applies.ts';

test('a session is on the repositories that its draft names', () => {
  const draft = {
    repositories: [
      { repo: 'acme/x', ref: '' },
      { repo: '', ref: '' },
    ],
  };
  expect(isOn(draft, 'acme/x')).toBe(true);
  expect(isOn(draft, 'local:acme/x')).toBe(true);
  expect(isOn(draft, 'other-acme/x')).toBe(false);
  expect(isOn(draft, '')).toBe(false);
});
