import { queryOptions, useQueries, type UseQueryResult } from '@tanstack/react-query';
import { apiOf, unwrap } from '../../lib/api.ts';
import { isId, namesIn, namingActions } from './names.ts';
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
  const read = useQueries({ queries: [...wanted].map(([id, type]) => nameQuery(org, id, type)), combine: namesOf });
  return new Map([...read, ...given]);
}

type Name = [id: string, name: string];

function namesOf(results: UseQueryResult<Name | null>[]): Name[] {
  return results.flatMap(({ data }) => (data === undefined || data === null ? [] : [data]));
}

/** The name of a resource, read once; null if nothing tells it. */
function nameQuery(org: string, id: string, type: string) {
  return queryOptions({
    queryKey: [org, 'names', id],
    queryFn: async (): Promise<Name | null> => {
      const name = (await batchOf(org, id, type)).get(id);
      return name === undefined ? null : [id, name];
    },
    staleTime: 'static',
  });
}

interface Batch {
  /** The types of the resources by their ids. */
  wanted: Map<string, string>;
  names: Promise<ReadonlyMap<string, string>>;
}

const batches = new Map<string, Batch>();

/** Reads the names of all resources that are asked for at the same time together. */
function batchOf(org: string, id: string, type: string): Batch['names'] {
  let batch = batches.get(org);
  if (batch === undefined) {
    const wanted = new Map<string, string>();
    const names = new Promise<void>((begin) => setTimeout(begin)).then(() => {
      batches.delete(org);
      return readNames(org, wanted);
    });
    batch = { wanted, names };
    batches.set(org, batch);
  }
  batch.wanted.set(id, type);
  return batch.names;
}

/** Reads names by few requests; a refused or failed one leaves its names out. */
async function readNames(org: string, wanted: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, string>> {
  const read = await Promise.allSettled(readsOf(org, wanted));
  return new Map(read.flatMap((names) => (names.status === 'fulfilled' ? names.value : [])));
}

function readsOf(org: string, wanted: ReadonlyMap<string, string>): Promise<Name[]>[] {
  const types = new Set(wanted.values());
  const reads: Promise<Name[]>[] = [];
  if (types.delete('user')) reads.push(memberNames(org, wanted));
  if (types.delete('session')) {
    const ids = [...wanted].filter(([, type]) => type === 'session').map(([id]) => id);
    reads.push(...inTwenties(ids).map((some) => sessionNames(org, some)));
  }
  const others = [...wanted].filter(([, type]) => types.has(type));
  reads.push(...inTwenties(others).map((some) => auditedNames(org, some)));
  // No entry creates the first agent.
  if (types.has('agent')) reads.push(agentNames(org));
  return reads;
}

/** Splits a list: 20 ids stay below the length of a filter. */
function inTwenties<One>(list: readonly One[]): One[][] {
  return Array.from({ length: Math.ceil(list.length / 20) }, (_, at) => list.slice(at * 20, at * 20 + 20));
}

/** The names that resources got when they were created or changed. */
async function auditedNames(org: string, wanted: readonly [id: string, type: string][]): Promise<Name[]> {
  const actions = new Set(wanted.flatMap(([, type]) => namingActions(type)));
  const query = {
    resource_id: wanted.map(([id]) => id).join(','),
    action: [...actions].join(','),
    outcome: 'success',
    first: 100,
  };
  const { items } = await unwrap(apiOf(org).GET(`${base}/audit-logs`, { params: { query } }));
  return [...namesIn(items)];
}

/** The titles of sessions; those of deleted ones are gone. */
async function sessionNames(org: string, ids: readonly string[]): Promise<Name[]> {
  const query = { id: ids.join(','), view: 'summary', archived: 'any', first: 20 } as const;
  const { items } = await unwrap(apiOf(org).GET(`${base}/sessions`, { params: { query } }));
  return items.map(({ id, title }) => [id, title]);
}

/** The names of the first 200 members, and of those others that are asked for. */
async function memberNames(org: string, wanted: ReadonlyMap<string, string>): Promise<Name[]> {
  const { items } = await unwrap(apiOf(org).GET(`${base}/members`, { params: { query: { first: 200 } } }));
  const known = new Set(items.map(({ user_id: id }) => id));
  const others = [...wanted].filter(([id, type]) => type === 'user' && !known.has(id));
  const read = await Promise.allSettled(others.map(([userId]) => readMember(org, userId)));
  const members = [...items, ...read.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))];
  return members.map(({ user_id: id, name, email }) => [id, name === '' ? email : name]);
}

/** Throws if somebody is no longer a member. */
function readMember(org: string, userId: string) {
  return unwrap(apiOf(org).GET(`${base}/members/{userId}`, { params: { path: { userId } } }));
}

async function agentNames(org: string): Promise<Name[]> {
  const { items } = await unwrap(apiOf(org).GET('/agents', { params: { query: { first: 200 } } }));
  return items.map(({ id, name }) => [id, name]);
}
