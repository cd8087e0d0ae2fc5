import { expect, test } from 'vitest';
import type { Connection } from './queries.ts';
import { stateOf } from './words.ts';

const connection: Connection = {
  id: 'gc_1',
  provider: 'github',
  kind: 'token',
  host: 'github.com',
  name: 'Ours',
  account: 'ada',
  app_id: '',
  state: 'connected',
  problem: '',
  last_verified_at: null,
  missing_permissions: [],
  webhook_url: '',
  webhook_problem: '',
  last_delivery_at: null,
  created_at: '2026-11-01T00:00:00Z',
  updated_at: '2026-11-01T00:00:00Z',
};

test('a connection that lacks permissions says how many', () => {
  const degraded = { ...connection, state: 'degraded' as const };
  expect(stateOf({ ...degraded, missing_permissions: ['checks'] }).word).toBe('1 permission missing');
  expect(stateOf({ ...degraded, missing_permissions: ['checks', 'issues'] })).toEqual({
    word: '2 permissions missing',
    tone: 'wait',
  });
  expect(stateOf({ ...connection, state: 'revoked' }).tone).toBe('bad');
});
