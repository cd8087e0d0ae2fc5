import type { OpenStreamFigures } from './open-streams.ts';
import type { Row } from './row.ts';

const arrivalTargetMs = 100;

export function openStreamRows(figures: OpenStreamFigures | undefined): Row[] {
  if (figures === undefined) return [];
  const { streams, sessions, openSeconds, perStreamKib, idle, busy, arrivalMs, missing, lost } = figures;
  const extent = `${streams.toLocaleString('en')} streams of ${sessions.toLocaleString('en')} sessions at one process`;
  return [
    {
      what: `${extent}, opened in ${openSeconds.toFixed(1)} s: memory of each`,
      figure: `${perStreamKib.toFixed(0)} KiB`,
      target: '',
      holds: undefined,
    },
    {
      what: 'the same in silence: CPU of the server in a second',
      figure: `${idle.serverMs.toFixed(0)} ms`,
      target: `and ${idle.postgresMs.toFixed(0)} ms of PostgreSQL for ${idle.transactions.toFixed(0)} transactions`,
      holds: undefined,
    },
    {
      what: `the same with ${busy.appends.toFixed(0)} appends and ${busy.arrived.toFixed(0)} arrivals a second, ${busy.serverMs.toFixed(0)} ms of CPU: from an event to its arrival, p50 ${arrivalMs.p50.toFixed(0)} ms`,
      figure: `${arrivalMs.p95.toFixed(0)} ms`,
      target: `p95 ≤ ${arrivalTargetMs} ms`,
      holds: arrivalMs.p95 <= arrivalTargetMs,
    },
    {
      what: 'events that did not arrive, and streams that ended',
      figure: `${missing}, ${lost}`,
      target: '0, 0',
      holds: missing === 0 && lost === 0,
    },
  ];
}
