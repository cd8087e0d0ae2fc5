import { spawn } from 'node:child_process';
import { spawnProgram } from '../../server/src/lib/spawn/spawn.ts';
import type { Row } from './row.ts';

/** Medians in milliseconds, in a process that holds `mebibytes` of buffers. */
export interface ProgramFigures {
  mebibytes: number;
  /** The event loop stands still this long, and the program has ended after this long. */
  ours: { blockedMs: number; endedMs: number };
  node: { blockedMs: number; endedMs: number };
}

const env = { PATH: '/usr/bin:/bin' };
const mebibyte = 1024 ** 2;
const discarded = 5;

/** Starts `/bin/true` in turns by Node's `spawn` and by the server's, from this process, with more and more memory. */
export async function benchPrograms(isQuick: boolean, say: (line: string) => void): Promise<ProgramFigures[]> {
  const held: Buffer[] = [];
  const figures: ProgramFigures[] = [];
  for (const mebibytes of [0, 100, 300]) {
    say(`programs, from a process with ${mebibytes} MiB of buffers`);
    while (held.length < mebibytes) held.push(Buffer.alloc(mebibyte, 1));
    const ours: Times[] = [];
    const node: Times[] = [];
    for (let round = -discarded; round < (isQuick ? 20 : 100); round += 1) {
      const times = [
        await timesOf(() => spawnProgram('/bin/true', [], { env, stdio: ['ignore', 'pipe', 'pipe'] })),
        await timesOf(() => spawn('/bin/true', { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })),
      ] as const;
      if (round < 0) continue;
      ours.push(times[0]);
      node.push(times[1]);
    }
    figures.push({ mebibytes, ours: medians(ours), node: medians(node) });
  }
  return figures;
}

interface Times {
  blockedMs: number;
  endedMs: number;
}

async function timesOf(start: () => { once(event: 'close', listener: () => void): unknown }): Promise<Times> {
  const from = performance.now();
  const child = start();
  const blockedMs = performance.now() - from;
  await new Promise<void>((resolve) => child.once('close', resolve));
  return { blockedMs, endedMs: performance.now() - from };
}

function medians(times: readonly Times[]): Times {
  const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  return {
    blockedMs: median(times.map(({ blockedMs }) => blockedMs)),
    endedMs: median(times.map(({ endedMs }) => endedMs)),
  };
}

export function programRows(figures: readonly ProgramFigures[] = []): Row[] {
  return figures.map(({ mebibytes, ours, node }) => ({
    what: `starting a program with ${mebibytes} MiB of buffers: stands still ${ours.blockedMs.toFixed(2)} ms, ended after ${ours.endedMs.toFixed(2)} ms; Node's spawn ${node.blockedMs.toFixed(2)} and ${node.endedMs.toFixed(2)} ms`,
    figure: (ours.blockedMs / node.blockedMs).toFixed(2),
    target: "≤ 0.50 of Node's",
    holds: ours.blockedMs <= node.blockedMs / 2,
  }));
}
