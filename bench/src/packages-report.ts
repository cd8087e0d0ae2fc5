import type { PackageFigures } from './packages.ts';
import type { Row } from './row.ts';

const mostTimes = 1.3;

export function packageRows(figures?: PackageFigures): Row[] {
  if (figures === undefined) return [];
  const { packages, direct, sandbox, gateway, savedMs } = figures;
  const names = {
    downloaded: `npm ci of ${packages} packages in a sandbox, nothing cached`,
    asked: 'the same with a lockfile without addresses',
    cached: "the same from npm's cache, without the network",
  };
  const rows = (['downloaded', 'asked', 'cached'] as const).map((way): Row => {
    const times = sandbox[way] / direct[way];
    return {
      what: `${names[way]}: ${seconds(sandbox[way])} (direct ${seconds(direct[way])}; ${seconds(gateway[way])} of a processor in the gateway)`,
      figure: `${times.toFixed(2)} times`,
      target: `≤ ${mostTimes.toFixed(2)} times`,
      holds: times <= mostTimes,
    };
  });
  const saved = { what: 'kept as a layer', figure: seconds(savedMs), target: '', holds: undefined };
  return [...rows, saved];
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
