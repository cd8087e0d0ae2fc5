import { isDeepStrictEqual } from 'node:util';
import { pages, type Client, type SessionEvent } from '@guildhall/client';
import { count, inParallel, type Aftermath, type Check } from './check.ts';
import type { Followed } from './session.ts';

const events = '/v3/organizations/{orgId}/sessions/{id}/events';

/** Reads the logs as the API lists them. */
export async function readLogs(client: Client, sessions: readonly Followed[]): Promise<Map<string, SessionEvent[]>> {
  const logs = await inParallel(sessions, async ({ id }) => {
    const log: SessionEvent[] = [];
    const list = (after: string | undefined) =>
      client.GET(events, { params: { path: { id }, query: { first: 200, after } } });
    for await (const event of pages(list)) log.push(event);
    return [id, log] as const;
  });
  return new Map(logs);
}

/** Checks that shown events stay unchanged: same number, same id, same content. */
export function checkShownEvents({ sessions, logs }: Aftermath): Check {
  const violations = sessions.flatMap((session) =>
    session.shown.flatMap((event) => {
      const kept = logs.get(session.id)?.[event.seq - 1];
      return isDeepStrictEqual(kept, event)
        ? []
        : [`${session.id} event ${event.seq} (${event.id}) is not in the log as it was shown`];
    }),
  );
  const shown = sessions.reduce((sum, session) => sum + session.shown.length, 0);
  return {
    what: 'events shown to clients that were lost',
    figure: `${violations.length} of ${shown.toLocaleString('en')}`,
    violations,
  };
}

/** Checks that logs are numbered from 1 without gaps, and that clients were shown all events in order. */
export function checkNumbers({ sessions, logs }: Aftermath): Check {
  const violations = sessions.flatMap((session) => {
    const log = logs.get(session.id) ?? [];
    const gap = log.findIndex(({ seq }, index) => seq !== index + 1);
    const missed = session.shown.findIndex(({ seq }, index) => seq !== index + 1);
    return [
      ...(gap < 0 ? [] : [`${session.id}: the log has no event ${gap + 1}`]),
      ...(new Set(log.map(({ id }) => id)).size === log.length ? [] : [`${session.id}: the log has an event id twice`]),
      ...(missed < 0 ? [] : [`${session.id}: the client was not shown event ${missed + 1}`]),
      ...(session.shown.length === log.length
        ? []
        : [`${session.id}: the client was shown ${session.shown.length} of ${log.length} events`]),
    ];
  });
  return { what: 'numbered without a gap or a repetition', figure: count(sessions.length, 'log'), violations };
}
