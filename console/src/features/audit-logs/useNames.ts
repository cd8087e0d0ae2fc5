import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { isId, namesIn } from './names.ts';
import type { AuditEntry } from './queries.ts';

const base = '/v3/organizations/{orgId}';

/** Returns the names of what entries are about, and of other resources, by id; what has no known name is left out. */
export function useNames(
  org: string,
  entries: readonly AuditEntry[],
  others: readonly AuditEntry['resource'][] = [],
): ReadonlyMap<string, string> {
  const given = namesIn(entries);
  for (const { actor } of entries) if (actor.display !== '' && !given.has(actor.id)) given.set(actor.id, actor.display);
  const wanted = new Map<string, string>();
  for (const { id, type } of [...entries.map(({ resource }) => resource), ...others])
    if (isId(id) && !given.has(id)) wanted.set(id, type);
  const { data = [] } = useQuery({ ...namesQuery(org, wanted), enabled: wanted.size > 0 });
  return new Map([...data, ...given]);
}

type Read = (signal: AbortSignal) => Promise<[id: string, name: string][]>;

/** The names of resources; their types by id. A few requests, however many they are. */
function namesQuery(org: string, wanted: ReadonlyMap<string, string>) {
  return queryOptions({
    queryKey: keys.list(org, 'audit-logs', { names: [...wanted.keys()].toSorted() }),
    queryFn: async ({ signal }) => {
      const read = await Promise.allSettled(readsOf(org, wanted).map((names) => names(signal)));
      return read.flatMap((names) => (names.status === 'fulfilled' ? names.value : []));
    },
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
}

function readsOf(org: string, wanted: ReadonlyMap<string, string>): Read[] {
  const types = new Set(wanted.values());
  const reads: Read[] = [];
  if (types.delete('session')) reads.push((signal) => sessionNames(org, signal));
  if (types.delete('user')) reads.push((signal) => memberNames(org, signal));
  const others = [...wanted].filter(([, type]) => types.has(type));
  // 20 ids stay below the length of a filter.
  for (let at = 0; at < others.length; at += 20)
    reads.push((signal) => auditedNames(org, others.slice(at, at + 20), signal));
  // No entry creates the first agent.
  if (types.has('agent')) reads.push((signal) => agentNames(org, signal));
  return reads;
}

/** The names that resources got when they were created or changed. */
async function auditedNames(org: string, wanted: readonly [id: string, type: string][], signal: AbortSignal) {
  const actions = new Set(wanted.flatMap(([, type]) => [`${type}.create`, `${type}.update`]));
  const query = {
    resource_id: wanted.map(([id]) => id).join(','),
    action: [...actions].join(','),
    outcome: 'success',
    first: 100,
  };
  const { items } = await unwrap(apiOf(org).GET(`${base}/audit-logs`, { params: { query }, signal }));
  return [...namesIn(items)];
}

/** The titles of the sessions that changed last: the log begins with these. */
async function sessionNames(org: string, signal: AbortSignal): Promise<[string, string][]> {
  const query = { view: 'summary', sort: 'updated_at', archived: 'any', first: 100 } as const;
  const { items } = await unwrap(apiOf(org).GET(`${base}/sessions`, { params: { query }, signal }));
  return items.map(({ id, title }) => [id, title]);
}

async function memberNames(org: string, signal: AbortSignal): Promise<[string, string][]> {
  const { items } = await unwrap(apiOf(org).GET(`${base}/members`, { params: { query: { first: 200 } }, signal }));
  return items.map(({ user_id: id, name, email }) => [id, name === '' ? email : name]);
}

async function agentNames(org: string, signal: AbortSignal): Promise<[string, string][]> {
  const { items } = await unwrap(apiOf(org).GET('/agents', { params: { query: { first: 200 } }, signal }));
  return items.map(({ id, name }) => [id, name]);
}
