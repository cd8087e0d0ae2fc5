import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { startInstallation, type Installation } from './agents-installation.ts';
import { cpuByProcess, cpuOf } from './agents-processes.ts';
import { load } from './load.ts';
import { replyOf } from './new-sessions.ts';
import type { Row } from './row.ts';

const counts = [1, 2, 4, 8];
/** The same for each number of processes, so that each lists as many; three for each of the most. */
const sessionsBefore = 24;
const connections = 32;
const atOnce = 8;

interface Work {
  perSecond: number;
  /** Milliseconds of CPU for each piece of work: of all processes together, and of the one that used the most. */
  cpuMs: { all: number; busiest: number };
}

/**
 * Measures the same work over several numbers of processes. The busiest process has one thread for its work, so what it uses for each
 * piece limits the rate on any number of cores.
 */
export async function benchCores(options: {
  directory: string;
  isQuick: boolean;
  signal: AbortSignal;
  say: (line: string) => void;
}) {
  const { directory, isQuick, signal, say } = options;
  const figures: { processes: number; reads: Work; replies: Work }[] = [];
  for (const processes of counts) {
    signal.throwIfAborted();
    say(`the same work over ${processes} processes`);
    const data = mkdtempSync(join(directory, 'cores-'));
    const installation = await startInstallation(directory, data, '', { GUILDHALL_PROCESSES: String(processes) });
    try {
      for (let number = 0; number < sessionsBefore; number += 1) await replyOf(installation, number, signal);
      const sessions = `${installation.url}/v3/organizations/default/sessions`;
      const seconds = isQuick ? 3 : 8;
      const read = async (): Promise<number> => {
        const { requestsPerSecond } = await load(sessions, { key: installation.key, seconds, connections });
        return requestsPerSecond * seconds;
      };
      await load(sessions, { key: installation.key, seconds: 1, connections });
      const reads = await measure(installation, read);
      figures.push({
        processes,
        reads,
        replies: await measure(installation, () => reply(installation, isQuick ? 32 : 128, signal)),
      });
    } finally {
      await installation.stop();
    }
  }
  return figures;
}

/** Runs work that returns how many pieces it was. */
async function measure({ server }: Installation, work: () => Promise<number>): Promise<Work> {
  const [before, each] = [cpuOf(server.pid), cpuByProcess(server.pid)];
  const begunAt = performance.now();
  const pieces = await work();
  const seconds = (performance.now() - begunAt) / 1_000;
  const after = cpuOf(server.pid);
  const used = [...cpuByProcess(server.pid)].map(([pid, ms]) => ms - (each.get(pid) ?? 0));
  const all = after.server + after.programs + after.postgres - before.server - before.programs - before.postgres;
  return { perSecond: pieces / seconds, cpuMs: { all: all / pieces, busiest: Math.max(...used) / pieces } };
}

async function reply(installation: Installation, turns: number, signal: AbortSignal): Promise<number> {
  let number = 0;
  const client = async (): Promise<void> => {
    while (number < turns) {
      number += 1;
      await replyOf(installation, number, signal);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  return turns;
}

export function coresRows(figures: Awaited<ReturnType<typeof benchCores>> | undefined): Row[] {
  return (figures ?? []).flatMap(({ processes, reads, replies }) => [
    rowOf(`list of ${sessionsBefore} sessions`, processes, reads, { count: 1, unit: '/s' }),
    rowOf('replies, new sessions', processes, replies, { count: 60, unit: ' a minute' }),
  ]);
}

function rowOf(what: string, processes: number, { perSecond, cpuMs }: Work, per: { count: number; unit: string }): Row {
  const { all, busiest } = cpuMs;
  const shown = (rate: number): string => `${Math.round(rate * per.count).toLocaleString('en')}${per.unit}`;
  const share = Math.round((100 * busiest) / all);
  const note = `CPU ${all.toFixed(2)} ms, the busiest process ${busiest.toFixed(2)} ms (${share} %): at most ${shown(1_000 / busiest)} on any number of cores`;
  return {
    what: `${what}, ${processes} ${processes === 1 ? 'process' : 'processes'} (${note})`,
    figure: shown(perSecond),
    target: '',
    holds: undefined,
  };
}
