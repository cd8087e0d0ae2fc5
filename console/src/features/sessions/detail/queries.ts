import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { SessionEvent } from '@guildhall/client';
import { apiOf, unwrap } from '../../../lib/api.ts';
import { keys } from '../../../lib/keys.ts';
import { listOptions } from '../../../lib/list.ts';

const path = '/v3/organizations/{orgId}/sessions/{id}';
type Kind = SessionEvent['kind'];

/** The changed files, without their patches; only those that changed since a checkpoint, where one is given. */
export function changesQuery(org: string, id: string, from?: string) {
  const query = { summary: true, ...(from === undefined ? {} : { from }) };
  return queryOptions({
    queryKey: [...keys.part(org, 'sessions', id, 'diff'), from ?? ''],
    queryFn: ({ signal }) => unwrap(apiOf(org).GET(`${path}/diff`, { params: { path: { id }, query }, signal })),
  });
}

interface FileOfChange {
  path: string;
  /** The newest commit. */
  commit: string;
  from: string | undefined;
}

/** One changed file with its patch. Until that of a newer commit is read, the last one stays. */
export function fileChangeQuery(org: string, id: string, file: FileOfChange) {
  const query = { path: file.path, ...(file.from === undefined ? {} : { from: file.from }) };
  return queryOptions({
    queryKey: ['session-file', org, id, file],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => unwrap(apiOf(org).GET(`${path}/diff`, { params: { path: { id }, query }, signal })),
    staleTime: 300_000,
  });
}

/** The newest checkpoints, and how many there are. */
export function checkpointsQuery(org: string, id: string) {
  return queryOptions({
    queryKey: keys.part(org, 'sessions', id, 'checkpoints'),
    queryFn: ({ signal }) =>
      unwrap(apiOf(org).GET(`${path}/checkpoints`, { params: { path: { id }, query: { first: 200 } }, signal })),
  });
}

export function contextQuery(org: string, id: string) {
  return queryOptions({
    queryKey: keys.part(org, 'sessions', id, 'context'),
    queryFn: ({ signal }) => unwrap(apiOf(org).GET(`${path}/context`, { params: { path: { id } }, signal })),
  });
}

export function usageQuery(org: string, id: string) {
  return queryOptions({
    queryKey: keys.part(org, 'sessions', id, 'usage'),
    queryFn: ({ signal }) => unwrap(apiOf(org).GET(`${path}/usage`, { params: { path: { id } }, signal })),
  });
}

export function insightsQuery(org: string, id: string) {
  return queryOptions({
    queryKey: keys.part(org, 'sessions', id, 'insights'),
    queryFn: ({ signal }) => unwrap(apiOf(org).GET(`${path}/insights`, { params: { path: { id } }, signal })),
  });
}

export function artifactsQuery(org: string, id: string) {
  return listOptions(keys.part(org, 'sessions', id, 'artifacts'), (query, signal) =>
    unwrap(apiOf(org).GET(`${path}/artifacts`, { params: { path: { id }, query }, signal })),
  );
}

export function messagesQuery(org: string, id: string) {
  return queryOptions({
    queryKey: keys.part(org, 'sessions', id, 'messages'),
    queryFn: async ({ signal }) =>
      (await unwrap(apiOf(org).GET(`${path}/messages`, { params: { path: { id }, query: { first: 200 } }, signal })))
        .items,
  });
}

/** Events of some kinds, or with a text; oldest first. */
export function eventsQuery(org: string, id: string, filter: { kind?: string; search?: string }) {
  return listOptions(['session-log', org, id, filter], ({ first: _first, ...page }, signal) => {
    const query = { ...page, first: 200, ...filter };
    return unwrap(apiOf(org).GET(`${path}/events`, { params: { path: { id }, query }, signal }));
  });
}

const mostPages = 25;

/** Reads all events of a kind in a part of a log; at most 5,000. */
export async function eventsOf<K extends Kind>(
  org: string,
  id: string,
  kind: K,
  part: { after_seq?: number; before_seq?: number },
  signal: AbortSignal,
): Promise<Extract<SessionEvent, { kind: K }>[]> {
  const found: Extract<SessionEvent, { kind: K }>[] = [];
  // Without a position, the list begins with the first event that is kept.
  let after = part.after_seq;
  for (let page = 0; page < mostPages; page += 1) {
    const query = { ...part, kind, after_seq: after, first: 200 };
    const { items, has_next_page: hasNext } = await unwrap(
      apiOf(org).GET(`${path}/events`, { params: { path: { id }, query }, signal }),
    );
    for (const event of items) if (isOf(event, kind)) found.push(event);
    after = items.at(-1)?.seq ?? after;
    if (!hasNext) break;
  }
  return found;
}

function isOf<K extends Kind>(event: SessionEvent, kind: K): event is Extract<SessionEvent, { kind: K }> {
  return event.kind === kind;
}

/** The model calls of a session, for its cost by turn. */
export function modelCallsQuery(org: string, id: string) {
  return queryOptions({
    queryKey: ['session-log', org, id, 'usage'],
    queryFn: ({ signal }) => eventsOf(org, id, 'usage', {}, signal),
  });
}

/** The calls of tools with their results. */
export function toolCallsQuery(org: string, id: string) {
  return queryOptions({
    queryKey: ['session-log', org, id, 'tools'],
    queryFn: async ({ signal }) => {
      const [calls, results] = await Promise.all([
        eventsOf(org, id, 'tool_call', {}, signal),
        eventsOf(org, id, 'tool_result', {}, signal),
      ]);
      return { calls, results };
    },
  });
}

/** The last states of the plan, oldest first. */
export function plansQuery(org: string, id: string, lastSeq: number) {
  return queryOptions({
    queryKey: ['session-log', org, id, 'plans'],
    queryFn: async ({ signal }) => {
      const query = { kind: 'plan', before_seq: lastSeq + 1, first: 50 };
      const { items } = await unwrap(apiOf(org).GET(`${path}/events`, { params: { path: { id }, query }, signal }));
      return items.filter((event) => event.kind === 'plan');
    },
  });
}

export function changeRequestsQuery(org: string, id: string) {
  return queryOptions({
    queryKey: keys.part(org, 'sessions', id, 'change-requests'),
    queryFn: async ({ signal }) =>
      (await unwrap(apiOf(org).GET(`${path}/change-requests`, { params: { path: { id } }, signal }))).items,
  });
}
