import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Aftermath, Check } from './check.ts';
import type { Installation } from './installation.ts';
import type { Member } from './member.ts';
import type { Failure } from './postgres.ts';
import { createRandom } from './random.ts';
import type { Fact } from './report.ts';

export interface PauseOptions {
  /** Number of pauses of all workers together. */
  pauses: number;
  /** Number of times that the database fails meanwhile. */
  databaseKills: number;
  seed: number;
  onProgress: (line: string) => void;
  signal: AbortSignal;
}

/** The disturbances of a run that kills no worker. */
export interface Disturbances {
  pauses: number;
  failovers: Record<Failure, number>;
}

/** With a heartbeat's interval and a restart of the database, it is shorter than a lease. */
const pauseMs = { least: 20, most: 2_500 };
const gapMs = { least: 150, most: 600 };
/** The supervisor of the database gives up if that ends too often within a minute. */
const failoverGapMs = 16_000;
const failures: readonly Failure[] = ['crash', 'backend', 'restart'];

/** Stops workers with SIGSTOP for moments, and lets the database crash and restart meanwhile. */
export async function runPauses(installation: Installation, options: PauseOptions): Promise<Disturbances> {
  const { signal, seed, onProgress } = options;
  const done: Disturbances = { pauses: 0, failovers: { crash: 0, backend: 0, restart: 0 } };
  const ended = new AbortController();
  const pausing = installation.workers.map(async (worker, index) => {
    const random = createRandom(seed, index + 1);
    while (done.pauses < options.pauses) {
      done.pauses += 1;
      await pause(worker, random.between(pauseMs.least, pauseMs.most), signal);
      if (done.pauses % 50 === 0) onProgress(`${done.pauses} pauses, ${textOf(done.failovers)}`);
      await delay(random.between(gapMs.least, gapMs.most), undefined, { signal });
    }
  });
  const failing = failOver(installation, options, done, AbortSignal.any([signal, ended.signal]));
  await Promise.all(pausing);
  ended.abort();
  await failing;
  return done;
}

async function pause(worker: Member, ms: number, signal: AbortSignal): Promise<void> {
  worker.pause();
  try {
    await delay(ms, undefined, { signal });
  } finally {
    worker.resume();
  }
}

async function failOver(
  { postgres }: Installation,
  { databaseKills }: PauseOptions,
  { failovers }: Disturbances,
  signal: AbortSignal,
): Promise<void> {
  for (let number = 0; number < databaseKills; number += 1) {
    await delay(failoverGapMs, undefined, { signal }).catch(() => undefined);
    const how = failures[number % failures.length];
    if (signal.aborted || how === undefined) return;
    await postgres.fail(how);
    failovers[how] += 1;
  }
}

function textOf({ crash, backend, restart }: Disturbances['failovers']): string {
  return `${crash} crashes, ${backend} killed backends and ${restart} restarts of PostgreSQL`;
}

/** Returns the number of attempts that their own runs gave up, because a statement of theirs failed with the database. */
export function factOfAttempts({ sessions, logs }: Aftermath): Fact {
  const attempts = sessions.map(({ id }) => logs.get(id)?.at(-1)?.attempt_no ?? 1);
  const more = attempts.reduce((sum, attempt) => sum + attempt - 1, 0);
  return { what: 'attempts that their own runs gave up', figure: String(more) };
}

/** The lines that a worker logs about another one that it found lost, and about a session that it lost while it ran. */
const takeover = /"a worker was lost; its sessions go on elsewhere"|another worker took it over/;

/** Checks, in the workers' own logs, that no worker was found lost, and that none lost a session that it ran. */
export function checkTakeovers({ installation }: Aftermath, { pauses, failovers }: Disturbances): Check {
  const logs = installation.workers.map(({ name }) =>
    readFileSync(join(installation.directory, `${name}.log`), 'utf8'),
  );
  const violations = logs.flatMap((log) => log.split('\n')).filter((line) => takeover.test(line));
  return {
    what: `workers found lost, and sessions taken from them, over ${pauses.toLocaleString('en')} pauses and ${textOf(failovers)}`,
    figure: String(violations.length),
    violations,
  };
}
