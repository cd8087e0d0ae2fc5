import { expect, test } from 'vitest';
import { keyState, presetOf, presetsFor, scopeGroups, type Scope } from './scopes.ts';

const offered = scopeGroups.flatMap(({ scopes }) => scopes.map(({ scope }) => scope));

/** A scope that the API gains or loses does not compile here. */
const known: Record<Scope, true> = {
  run: true,
  'plugins:read': true,
  'plugins:write': true,
  'secrets:read': true,
  'secrets:write': true,
  'sessions:read': true,
  'knowledge:read': true,
  'memory:write': true,
  'repos:read': true,
  'repos:write': true,
  'reviews:read': true,
  'reviews:write': true,
  'analytics:read': true,
  'org:read': true,
  'org:write': true,
  'attachments:read': true,
  'attachments:write': true,
  'guardrails:read': true,
  'guardrails:write': true,
};

test('every scope of the API is offered once', () => {
  expect(offered.toSorted()).toEqual(Object.keys(known).toSorted());
});

test('a preset is offered as a whole or not at all, and none twice', () => {
  const namesFor = (own: readonly string[]) => presetsFor(own).map(({ name }) => name);
  const viewer = offered.filter((scope) => scope.endsWith(':read'));
  expect(namesFor(offered)).toEqual(['Read only', 'Start sessions', 'Git clone and push', 'Everything you may']);
  expect(namesFor(viewer)).toEqual(['Everything you may']);
  for (const { scopes } of presetsFor(viewer)) expect(viewer).toEqual(expect.arrayContaining(scopes));
});

test('a choice that is a preset is named so', () => {
  expect(presetOf(['repos:write', 'repos:read'], offered)).toBe('Git clone and push');
  expect(presetOf(['org:write'], offered)).toBeUndefined();
});

test('a key that was revoked or has expired does not work', () => {
  const now = new Date('2026-06-01T00:00:00Z');
  expect(keyState({ revoked_at: null, expires_at: null }, now)).toBe('active');
  expect(keyState({ revoked_at: null, expires_at: '2026-06-01T00:00:00Z' }, now)).toBe('expired');
  expect(keyState({ revoked_at: '2026-05-01T00:00:00Z', expires_at: null }, now)).toBe('revoked');
});
