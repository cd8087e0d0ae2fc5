import type { Row } from './row.ts';
import type { StreamFigures } from './streams.ts';

export function streamRows(figures: StreamFigures | undefined): Row[] {
  if (figures === undefined) return [];
  const { streams, sessions, events, seconds, wrong, leaked, arrivalMs, memoryMib } = figures;
  const extent = `${streams.toLocaleString('en')} streams of an organization, ${sessions} sessions`;
  return [
    {
      what: `${extent}: ${events.toLocaleString('en')} events in ${seconds.toFixed(0)} s, ${Math.round(memoryMib)} MiB`,
      figure: `${wrong} wrong`,
      target: 'none misses an event, or gets one twice or out of order',
      holds: wrong === 0,
    },
    {
      what: `${extent}: events shown to who may not see them`,
      figure: String(leaked),
      target: '0',
      holds: leaked === 0,
    },
    {
      what: `${extent}: from an event to its arrival, p50 ${arrivalMs.p50.toFixed(0)} ms`,
      figure: `${arrivalMs.p95.toFixed(0)} ms`,
      target: 'p95',
      holds: undefined,
    },
  ];
}
