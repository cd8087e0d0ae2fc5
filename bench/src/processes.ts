import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const root = join(import.meta.dirname, '../..');
/** The flags of `npm start`, so that the measured program is the real one. */
const nodeFlags = ['--max-semi-space-size=4'];

export interface Started {
  pid: number;
  /** The process's ready line. */
  ready: Record<string, unknown>;
  /** From spawn to ready, in milliseconds. */
  startMs: number;
  stop(): Promise<void>;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
}

/** A server drains within 30 s; it is killed after this. */
const stopWithinMs = 35_000;
const running = new Set<ChildProcess>();

/** Stops every program that is still running. */
export async function stopPrograms(): Promise<void> {
  await Promise.all([...running].map((child) => end(child)));
}

/**
 * Resolves when no process uses a directory any more, after at most 15 s: the database of a killed server ends a moment
 * later, and would write into a directory that is being removed.
 */
export async function leftAlone(directory: string): Promise<void> {
  const until = performance.now() + 15_000;
  const isUsed = (pid: string): boolean => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(directory);
    } catch {
      return false;
    }
  };
  while (readdirSync('/proc').some((name) => /^\d+$/.test(name) && isUsed(name)) && performance.now() < until)
    await delay(100);
}

/**
 * Starts a Node program of this repository and waits for its JSON line with `"event":"ready"`; its log goes to a file.
 */
export async function startProgram(
  script: string,
  args: string[],
  env: Record<string, string>,
  logFile: string,
  flags: readonly string[] = [],
): Promise<Started> {
  const log = openSync(logFile, 'a');
  const begun = performance.now();
  const child = spawn(process.execPath, [...nodeFlags, ...flags, join(root, script), ...args], {
    cwd: root,
    env: { ...process.env, NODE_COMPILE_CACHE: 'node_modules/.cache/compile', GUILDHALL_METRICS_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', log],
  });
  closeSync(log);
  running.add(child);
  child.once('exit', () => running.delete(child));
  const ready = await readyLine(child, logFile);
  const startMs = performance.now() - begun;
  return {
    pid: child.pid ?? 0,
    ready,
    startMs,
    stop: () => end(child),
    kill: () => end(child, 'SIGKILL'),
  };
}

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  const late = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
  await exited;
  clearTimeout(late);
}

async function readyLine(child: ChildProcess, logFile: string): Promise<Record<string, unknown>> {
  if (child.stdout === null) throw new Error('no standard output');
  for await (const line of createInterface({ input: child.stdout })) {
    const value: unknown = line.startsWith('{') ? JSON.parse(line) : undefined;
    if (typeof value === 'object' && value !== null && 'event' in value && value.event === 'ready') return { ...value };
  }
  throw new Error(`The program ended before it was ready:\n${readFileSync(logFile, 'utf8').slice(-2_000)}`);
}

/** Returns the resident memory of a process in MiB, without its children. */
export function memoryMib(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib ?? 0) / 1_024;
}
