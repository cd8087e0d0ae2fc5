import type { GrowthFigures } from './growth.ts';
import type { Row } from './row.ts';

const target = 1.3;

export function growthRows(figures: GrowthFigures | undefined): Row[] {
  if (figures === undefined) return [];
  const { sessions, events, sizeBytes, operations, retention } = figures;
  const extent = sessions.map((count) => count.toLocaleString('en')).join(' and ');
  const gigabytes = (sizeBytes / 1_000 ** 3).toFixed(1);
  const { removed, seconds, againSeconds, bare, vacuumSeconds } = retention;
  return [
    ...operations.map(({ name, ms: [small, large] }): Row => {
      const ratio = large.p50 / small.p50;
      return {
        what: `${name} at ${extent} sessions (${events.toLocaleString('en')} events, ${gigabytes} GB): p50 ${small.p50.toFixed(1)} and ${large.p50.toFixed(1)} ms`,
        figure: ratio.toFixed(2),
        target: `≤ ${target}`,
        holds: ratio <= target,
      };
    }),
    {
      what: `old events removed, one session after the other; by one statement; vacuum afterwards ${vacuumSeconds.toFixed(0)} s`,
      figure: `${Math.round(removed / seconds).toLocaleString('en')}/s; ${Math.round(bare.removed / bare.seconds).toLocaleString('en')}/s`,
      target: '',
      holds: undefined,
    },
    {
      what: `a night without old events, ${retention.sessions.toLocaleString('en')} sessions`,
      figure: `${againSeconds.toFixed(1)} s`,
      target: '',
      holds: undefined,
    },
  ];
}
