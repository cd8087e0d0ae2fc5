import { expect, test } from 'vitest';
import { fits, placeOf, sectionOf } from './places.ts';

test('a label fits when it has each word, or its beginning', () => {
  expect(fits('New session', 'ses ne')).toBe(true);
  expect(fits('New session', '')).toBe(true);
  expect(fits('New session', 'ession')).toBe(false);
  expect(fits('New session', 'new notes')).toBe(false);
});

test('a change request is below its repository', () => {
  const found = { id: 'chr_1', title: 'x', detail: 'acme/x', state: 'open', created_at: '' };
  expect(placeOf('acme', { ...found, type: 'change_request', repository_id: 'rep_1', number: 12 })).toBe(
    '/acme/repositories/rep_1/change-requests/12',
  );
  expect(placeOf('acme', { ...found, type: 'session', repository_id: '', number: null })).toBe('/acme/sessions/chr_1');
});

test('a page belongs to the section of its address, and a change request to those of all repositories', () => {
  expect(sectionOf('/$org/sessions/$id')).toBe('/$org/sessions');
  expect(sectionOf('/$org/repositories/$id')).toBe('/$org/repositories');
  expect(sectionOf('/$org/repositories/$id/change-requests/$number')).toBe('/$org/change-requests');
});
