import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { apiOf, unwrap, type Schemas } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { listOptions } from '../../lib/list.ts';
import type { AutomationFilters } from './search.ts';

const path = '/v3/organizations/{orgId}/automations';

/** The automations that fit the filters, newest first. */
export function automationsQuery(org: string, { q, status }: AutomationFilters) {
  return listOptions(keys.list(org, 'automations', { q, status }), (page, signal) => {
    const filters = status === 'off' ? { enabled: 'false' } : status === undefined ? {} : { status };
    const query = { ...page, ...filters, ...(q === undefined ? {} : { search: q }) };
    return unwrap(apiOf(org).GET(path, { params: { query }, signal }));
  });
}

/** An automation; its key is that of a list, since the end of a run changes it and the stream names only the run. */
export function automationQuery(org: string, id: string) {
  return queryOptions({
    queryKey: keys.list(org, 'automations', { id }),
    queryFn: ({ signal }) => unwrap(apiOf(org).GET(`${path}/{id}`, { params: { path: { id } }, signal })),
  });
}

/** Where the runs of an external executor are sent. */
export function executorQuery(org: string, id: string) {
  return queryOptions({
    queryKey: keys.part(org, 'automations', id, 'executor'),
    queryFn: ({ signal }) => unwrap(apiOf(org).GET(`${path}/{id}/executor`, { params: { path: { id } }, signal })),
  });
}

export interface RunFilters {
  status?: string | undefined;
  trigger?: string | undefined;
}

/** The runs of an automation that fit the filters, newest first. */
export function runsQuery(org: string, id: string, { status, trigger }: RunFilters) {
  return listOptions(keys.list(org, 'automations', { runsOf: id, status, trigger }), (page, signal) => {
    const query = {
      ...page,
      ...(status === undefined ? {} : { status }),
      ...(trigger === undefined ? {} : { trigger }),
    };
    return unwrap(apiOf(org).GET(`${path}/{id}/runs`, { params: { path: { id }, query }, signal }));
  });
}

/** The last runs of an automation, newest first. */
export function lastRunsQuery(org: string, id: string) {
  return queryOptions({
    queryKey: keys.list(org, 'automations', { lastRunsOf: id }),
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: { first: 8 } };
      return (await unwrap(apiOf(org).GET(`${path}/{id}/runs`, { params, signal }))).items;
    },
  });
}

export function runQuery(org: string, runId: string) {
  return queryOptions({
    queryKey: keys.one(org, 'automations', runId),
    queryFn: ({ signal }) => unwrap(apiOf(org).GET(`${path}/runs/{runId}`, { params: { path: { runId } }, signal })),
  });
}

/** The sessions of a run's attempts, oldest first. */
export function runSessionsQuery(org: string, runId: string) {
  return queryOptions({
    queryKey: keys.list(org, 'sessions', { automation_run_id: runId }),
    queryFn: async ({ signal }) => {
      const query = {
        automation_run_id: runId,
        first: 50,
        view: 'summary' as const,
        archived: 'any' as const,
      };
      const { items } = await unwrap(
        apiOf(org).GET('/v3/organizations/{orgId}/sessions', { params: { query }, signal }),
      );
      return items.toReversed();
    },
    placeholderData: keepPreviousData,
  });
}

/** What each of the most expensive automations cost in the last seven days, by its id. */
export function weekCostQuery(org: string) {
  return queryOptions({
    queryKey: keys.list(org, 'consumption', { weekOf: 'automations' }),
    queryFn: async ({ signal }) => {
      const from = new Date(Date.now() - 6 * 86_400_000).toISOString().slice(0, 10);
      const query = { from, group_by: 'automation' as const, top: 50 };
      const { groups, groups_total: total } = await unwrap(
        apiOf(org).GET('/v3/organizations/{orgId}/consumption/daily', { params: { query }, signal }),
      );
      return { isAll: total <= groups.length, costs: new Map(groups.map(({ id, totals }) => [id, totals.cost_usd])) };
    },
    staleTime: 120_000,
  });
}

/** What the API says of triggers, a template and a sample, before anything is saved. */
export function validationQuery(org: string, body: Schemas['ValidateAutomationRequest']) {
  return queryOptions({
    queryKey: keys.list(org, 'automations', { validated: JSON.stringify(body) }),
    queryFn: ({ signal }) => unwrap(apiOf(org).POST(`${path}/validate`, { body, signal })),
    placeholderData: keepPreviousData,
    gcTime: 60_000,
  });
}
