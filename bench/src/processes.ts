import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const root = join(import.meta.dirname, '../..');
/** As `npm start` runs it, so that what is measured is what is used. */
const nodeFlags = ['--max-semi-space-size=4'];

export interface Started {
  pid: number;
  /** What the process printed when it was ready. */
  ready: Record<string, unknown>;
  /** From spawn to ready, in milliseconds. */
  startMs: number;
  stop(): Promise<void>;
}

/** Starts a Node program of this repository and waits for its JSON line with `"event":"ready"`; it logs to a file. */
export async function startProgram(
  script: string,
  args: string[],
  env: Record<string, string>,
  logFile: string,
): Promise<Started> {
  const log = openSync(logFile, 'a');
  const begun = performance.now();
  const child = spawn(process.execPath, [...nodeFlags, join(root, script), ...args], {
    cwd: root,
    env: { ...process.env, NODE_COMPILE_CACHE: 'node_modules/.cache/compile', ...env },
    stdio: ['ignore', 'pipe', log],
  });
  closeSync(log);
  const ready = await readyLine(child, logFile);
  const startMs = performance.now() - begun;
  return {
    pid: child.pid ?? 0,
    ready,
    startMs,
    stop: async () => {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function readyLine(child: ChildProcess, logFile: string): Promise<Record<string, unknown>> {
  if (child.stdout === null) throw new Error('no standard output');
  for await (const line of createInterface({ input: child.stdout })) {
    const value: unknown = line.startsWith('{') ? JSON.parse(line) : undefined;
    if (typeof value === 'object' && value !== null && 'event' in value && value.event === 'ready') return { ...value };
  }
  throw new Error(`The program ended before it was ready:\n${readFileSync(logFile, 'utf8').slice(-2_000)}`);
}

/** Resident memory of a process in MiB, without the processes it started. */
export function memoryMib(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib ?? 0) / 1_024;
}
