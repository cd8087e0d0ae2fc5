import { expect, test } from 'vitest';
import { requestOf } from './filters.ts';

test('days become the times at which they begin and end here', () => {
  expect(requestOf({ action: 'key.create', from: '2026-06-01', to: '2026-06-01' })).toEqual({
    action: 'key.create',
    created_after: new Date(2026, 5, 1).toISOString(),
    created_before: new Date(2026, 5, 2).toISOString(),
  });
});

test('what is no day filters nothing', () => {
  for (const from of ['', 'yesterday', '2026-6-1', '2026-06-01T00:00:00Z']) expect(requestOf({ from })).toEqual({});
});
