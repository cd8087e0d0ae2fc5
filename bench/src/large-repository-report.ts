import type { LargeRepositoryFigures } from './large-repository.ts';
import type { Row } from './row.ts';

export function largeRepositoryRows(figures?: LargeRepositoryFigures): Row[] {
  if (figures === undefined) return [];
  const { files, mebibytes, first, warm, second, disk, pushMs } = figures;
  const row = (what: string, { ms, cpuMs, gitMib, serverMib }: LargeRepositoryFigures['first']): Row => {
    const cpu = seconds(cpuMs.server + cpuMs.programs);
    return {
      what: `${what}, ${cpu} of a processor, git ${gitMib.toFixed(0)} MiB, server ${serverMib.toFixed(0)} MiB`,
      figure: seconds(ms),
      target: '',
      holds: undefined,
    };
  };
  return [
    row(`${files.toLocaleString('en')} files of ${mebibytes} MiB together: an edit in the first session`, first),
    row('an edit in its warm sandbox', warm),
    row('an edit in a new session', second),
    {
      what: `disk of the host's repository, the worker's mirror, and all with two sandboxes; pushed in ${seconds(pushMs)}`,
      figure: `${disk.host}, ${disk.mirrors} and ${disk.all} MiB`,
      target: '',
      holds: undefined,
    },
  ];
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
