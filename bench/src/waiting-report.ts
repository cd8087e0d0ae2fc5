import type { Row } from './row.ts';
import type { WaitingFigures } from './waiting.ts';

export function waitingRows(figures: WaitingFigures | undefined): Row[] {
  return (figures?.at ?? []).map(({ sessions, mib, cpuMs }): Row => {
    const shares = [mib.server, mib.programs, mib.postgres].map(Math.round).join(', ');
    return {
      what: `${sessions} sessions of one worker wait for their users: ${shares} MiB of server, programs and PostgreSQL`,
      figure: `${[cpuMs.server, cpuMs.programs, cpuMs.postgres].map((ms) => ms.toFixed(0)).join(', ')} ms of CPU a second`,
      target: '',
      holds: undefined,
    };
  });
}
