import { setTimeout as delay } from 'node:timers/promises';
import type { Installation } from './installation.ts';
import type { Load } from './load.ts';
import type { Random } from './random.ts';
import { chooseVictim, type Hit } from './victims.ts';

/** One round: the killed processes, the time, and the affected sessions. */
export interface Round {
  number: number;
  /** Milliseconds since the epoch. */
  at: number;
  /** `worker-1`, `worker-2`, `api`, `postgres`. */
  killed: string[];
  hits: Hit[];
}

export interface RoundOptions {
  rounds: number;
  databaseKills: number;
  /** Pause between two rounds, in milliseconds. */
  pauseMs: { least: number; most: number };
  random: Random;
  onRound: (round: Round) => void;
  signal: AbortSignal;
}

interface Plan {
  database: boolean;
  worker: boolean;
  api: boolean;
  /** A short phase to wait for, which random moments would rarely hit. */
  aim: string | undefined;
}

const aims = ['reproduce', 'verify', 'deliver', 'deliver'];
const aimWithinMs = 8_000;
const aimedForMs = 150;
/** The embedded database gives up when it ends a sixth time within a minute. */
const mostKills = 4;
const killWindowMs = 60_000;

/** Kills at random moments, round after round. */
export async function runRounds(installation: Installation, load: Load, options: RoundOptions): Promise<Round[]> {
  const { random, signal, pauseMs } = options;
  const rounds: Round[] = [];
  for (const [index, plan] of plansOf(options).entries()) {
    await delay(random.between(pauseMs.least, pauseMs.most), undefined, { signal });
    if (plan.database) await spaceOut(installation.postgres.downTimes, signal);
    const aimed = plan.aim === undefined ? undefined : await load.nextPhase(plan.aim, aimWithinMs);
    if (aimed !== undefined) await delay(random.between(0, aimedForMs), undefined, { signal });
    const wanted = { worker: plan.worker, session: aimed?.id, all: plan.database || plan.api };
    const { worker, hits } = await chooseVictim(installation, random, wanted, signal);
    const killed: string[] = [];
    if (plan.database) {
      installation.postgres.kill();
      killed.push('postgres');
    }
    if (worker?.kill() !== undefined) killed.push(worker.name);
    if (plan.api && installation.api.kill() !== undefined) killed.push('api');
    const round = { number: index + 1, at: Date.now(), killed, hits };
    rounds.push(round);
    options.onRound(round);
  }
  return rounds;
}

/** Waits until a further kill is one of few within a minute. */
async function spaceOut(downTimes: Installation['postgres']['downTimes'], signal: AbortSignal): Promise<void> {
  const since = Date.now() - (downTimes.at(-mostKills)?.from ?? 0);
  if (since < killWindowMs) await delay(killWindowMs - since, undefined, { signal });
}

/** Plans the rounds: some kill the database, alone and with a worker in turn, and sometimes the API. */
function plansOf({ rounds, databaseKills, random }: RoundOptions): Plan[] {
  const numbers = Array.from({ length: rounds }, (_, index) => index);
  const database = random.sample(numbers, databaseKills);
  return numbers.map((number) => {
    const position = database.indexOf(number);
    return {
      database: position >= 0,
      worker: position % 2 !== 0,
      api: random.chance(0.1),
      aim: position < 0 && random.chance(0.3) ? random.pick(aims) : undefined,
    };
  });
}
