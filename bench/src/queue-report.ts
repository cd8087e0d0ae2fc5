import type { QueueFigures } from './queue.ts';
import type { Row } from './row.ts';

const target = 1.3;

export function queueRows(figures: QueueFigures | undefined): Row[] {
  if (figures === undefined) return [];
  const [shortest] = figures.claims;
  const cpuOf = (claim: QueueFigures['claims'][number]): number => claim.cpuMs.client + claim.cpuMs.postgres;
  return [
    ...figures.claims.map((claim): Row => {
      const { organizations, queued, ms } = claim;
      const ratio = shortest === undefined ? 1 : cpuOf(claim) / cpuOf(shortest);
      const queue = `${queued.toLocaleString('en')} queued sessions of ${organizations.toLocaleString('en')} organizations`;
      return {
        what: `claim of the next of ${queue}: p50 ${ms.p50.toFixed(1)} ms, p95 ${ms.p95.toFixed(1)} ms`,
        figure: `${cpuOf(claim).toFixed(1)} ms of CPU, ${ratio.toFixed(2)} times the first`,
        target: organizations === 1 ? `≤ ${target}` : '',
        holds: organizations === 1 ? ratio <= target : undefined,
      };
    }),
    {
      what: 'sessions of an organization that floods, between two of another one',
      figure: String(figures.longestWait),
      target: '1',
      holds: figures.longestWait <= 1,
    },
  ];
}
