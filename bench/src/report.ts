import type { benchApi } from './api.ts';
import type { benchEvents } from './events.ts';
import type { benchSessions } from './session.ts';

export interface Results {
  api?: Awaited<ReturnType<typeof benchApi>>;
  events?: Awaited<ReturnType<typeof benchEvents>>;
  sessions?: Awaited<ReturnType<typeof benchSessions>>;
}

/** One line of the report: what was measured, the figure, and what it is to be held against. */
interface Row {
  what: string;
  figure: string;
  target: string;
  holds: boolean | undefined;
}

/** The figures as a table for people. */
export function tableOf(results: Results): string {
  const rows = [...apiRows(results.api), ...eventRows(results.events), ...sessionRows(results.sessions)];
  const width = (pick: (row: Row) => string): number => Math.max(...rows.map((row) => pick(row).length));
  const [what, figure, target] = [width((row) => row.what), width((row) => row.figure), width((row) => row.target)];
  const mark = (holds: boolean | undefined): string => (holds === undefined ? ' ' : holds ? '✓' : '✗');
  return rows
    .map(
      (row) =>
        `${mark(row.holds)} ${row.what.padEnd(what)}  ${row.figure.padStart(figure)}  ${row.target.padEnd(target)}`,
    )
    .join('\n');
}

function apiRows(api: Results['api']): Row[] {
  if (api === undefined) return [];
  const rows: Row[] = [];
  for (const { sessions, list, get } of api.reads)
    for (const [what, measured] of [
      ['list of 50', list],
      ['get of one', get],
    ] as const)
      rows.push({
        what: `${what} at ${sessions.toLocaleString('en')} sessions: ${Math.round(measured.ours.requestsPerSecond)}/s, bare node:http ${Math.round(measured.peer.requestsPerSecond)}/s`,
        figure: measured.ratio.toFixed(2),
        target: '≥ 0.60 of the bare peer',
        holds: measured.ratio >= 0.6,
      });
  const [small, large] = api.reads;
  if (small !== undefined && large !== undefined) {
    const growth = small.list.ours.requestsPerSecond / large.list.ours.requestsPerSecond;
    rows.push({
      what: `list at ${large.sessions.toLocaleString('en')} against ${small.sessions.toLocaleString('en')} sessions`,
      figure: growth.toFixed(2),
      target: '≤ 1.20 times the time',
      holds: growth <= 1.2,
    });
  }
  rows.push({
    what: 'create session, 8 at once',
    figure: `${Math.round(api.create.requestsPerSecond)}/s`,
    target: `p50 ${api.create.p50Ms} ms`,
    holds: undefined,
  });
  return rows;
}

function eventRows(events: Results['events']): Row[] {
  return (events ?? []).map(({ batch, sessions, perSecond }) => ({
    what: `events appended, ${batch} at a time, ${sessions} ${sessions === 1 ? 'session' : 'sessions'}`,
    figure: `${Math.round(perSecond).toLocaleString('en')}/s`,
    target: '',
    holds: undefined,
  }));
}

function sessionRows(sessions: Results['sessions']): Row[] {
  if (sessions === undefined) return [];
  const [, ...warm] = sessions.overheadMs;
  const overhead = warm.toSorted((a, b) => a - b)[Math.floor(warm.length / 2)] ?? 0;
  return [
    {
      what: 'platform overhead of a session, warm mirror',
      figure: `${Math.round(overhead)} ms`,
      target: '≤ 700 ms',
      holds: overhead <= 700,
    },
    { what: 'first start to ready', figure: `${Math.round(sessions.firstStartMs)} ms`, target: '', holds: undefined },
    {
      what: 'start to ready on existing data',
      figure: `${Math.round(sessions.warmStartMs)} ms`,
      target: '≤ 2000 ms',
      holds: sessions.warmStartMs <= 2_000,
    },
    {
      what: 'memory of an idle API process',
      figure: `${Math.round(sessions.idleMib)} MiB`,
      target: '≤ 150 MiB',
      holds: sessions.idleMib <= 150,
    },
  ];
}
