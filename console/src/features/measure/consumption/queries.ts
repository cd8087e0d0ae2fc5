import { queryOptions } from '@tanstack/react-query';
import { apiOf, unwrap, type Schemas } from '../../../lib/api.ts';
import { keys } from '../../../lib/keys.ts';
import { listOptions } from '../../../lib/list.ts';
import type { Period } from '../period.ts';
import type { Grouping } from '../search.ts';

export type Cycle = Schemas['BillingCycle'];

const path = '/v3/organizations/{orgId}/consumption';
/** The rollups are up to two minutes behind. */
const staleTime = 60_000;

/** What the days of a period cost, in all and by the groups that cost most. */
export function dailyQuery(org: string, { from, to }: Period, by: Grouping | undefined) {
  return queryOptions({
    queryKey: keys.list(org, 'consumption', { from, to, by }),
    queryFn: ({ signal }) => {
      const query = { from, to, ...(by === undefined ? {} : { group_by: by, top: 25 }) };
      return unwrap(apiOf(org).GET(`${path}/daily`, { params: { query }, signal }));
    },
    staleTime,
  });
}

/** The current cycle; undefined before anything was used. */
export function cycleQuery(org: string) {
  return queryOptions({
    queryKey: keys.list(org, 'consumption', { cycle: 'current' }),
    queryFn: async ({ signal }) =>
      (await unwrap(apiOf(org).GET(`${path}/cycles`, { params: { query: { first: 1 } }, signal }))).items[0] ?? null,
    staleTime,
  });
}

/** All cycles, newest first. */
export function cyclesQuery(org: string) {
  return listOptions(keys.list(org, 'consumption', { cycles: 'all' }), (page, signal) =>
    unwrap(apiOf(org).GET(`${path}/cycles`, { params: { query: { ...page, first: 12 } }, signal })),
  );
}

/** The organization's limit of cost in a cycle, in US dollars; null for none. */
export function cycleLimitQuery(org: string) {
  return queryOptions({
    queryKey: keys.list(org, 'settings', { part: 'cycle limit' }),
    queryFn: async ({ signal }) => {
      const params = { path: { namespace: 'budgets' } };
      const settings: { per_cycle_usd?: unknown } = Object(
        await unwrap(apiOf(org).GET('/v3/organizations/{orgId}/settings/{namespace}', { params, signal })),
      );
      return typeof settings.per_cycle_usd === 'number' ? settings.per_cycle_usd : null;
    },
  });
}
