import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../../server/src/db/pool.ts';
import type { Installation } from './installation.ts';
import type { Member } from './member.ts';
import type { Random } from './random.ts';

/** A session that a worker was running when it was killed. */
export interface Hit {
  session: string;
  attempt: number;
  /** Its phase, `provisioning`, or `between` two phases. */
  phase: string;
}

interface Held extends Hit {
  owner: string;
  /** Lost workers in a row without progress. */
  losses: number;
}

/** After three lost workers in a row a session waits by rule, and fails in the end, so random kills spare it after two. */
const sparedLosses = 2;
const spareWithinMs = 120_000;
const settledMs = 100;
const preferBusy = 0.85;
const busyWithinMs = 15_000;

export interface Victim {
  worker: Member | undefined;
  hits: Hit[];
}

/**
 * Chooses the worker to kill, preferably the one that runs `session`, and returns it with the affected sessions.
 * Usually a busy one: right after a kill, the other worker has all sessions. Waits while every choice would be the
 * third loss in a row for a session; with `all`, while any choice would be. The worker is paused until it is killed.
 */
export async function chooseVictim(
  { workers, postgres }: Installation,
  random: Random,
  wanted: { worker: boolean; session: string | undefined; all: boolean },
  signal: AbortSignal,
): Promise<Victim> {
  const startedAt = performance.now();
  const wantsBusy = wanted.worker && random.chance(preferBusy);
  for (;;) {
    const waitedMs = performance.now() - startedAt;
    const held = await readHeld(postgres.db);
    const worker =
      held && choose(held, workers, random, { ...wanted, wantsBusy, acceptsIdle: waitedMs > busyWithinMs });
    if (worker === 'none') return { worker: undefined, hits: [] };
    if (worker !== undefined) {
      const hits = await pausedWith(worker, postgres.db, signal);
      if (hits?.some(isLastChance) === false) return { worker, hits: hits.map(hitOf) };
      worker.resume();
    }
    if (waitedMs > spareWithinMs)
      throw new Error(`For ${spareWithinMs / 1_000} s there were sessions that lost two workers and made no progress.`);
    await delay(100, undefined, { signal });
  }
}

interface Wanted {
  worker: boolean;
  session: string | undefined;
  all: boolean;
  wantsBusy: boolean;
  acceptsIdle: boolean;
}

/** Returns a worker that may be killed now, `none` if none is wanted; undefined if every choice must wait. */
function choose(
  held: readonly Held[],
  workers: readonly Member[],
  random: Random,
  { worker, session, all, wantsBusy, acceptsIdle }: Wanted,
): Member | 'none' | undefined {
  const alive = workers.filter((one) => one.pid() !== undefined);
  const isSpared = (one: Member): boolean => heldBy(held, one).some(isLastChance);
  const fair = all && alive.some(isSpared) ? [] : alive.filter((one) => !isSpared(one));
  const busy = fair.filter((one) => heldBy(held, one).length > 0);
  if (busy.length === 0 && (fair.length === 0 || (wantsBusy && !acceptsIdle))) return undefined;
  if (!worker) return 'none';
  const holder = busy.find((one) => heldBy(held, one).some((hit) => hit.session === session));
  return holder ?? random.pick(wantsBusy && busy.length > 0 ? busy : fair);
}

/**
 * Pauses the worker, and returns its sessions: it may have claimed more since they were last read. Undefined while the
 * database is down.
 */
async function pausedWith(worker: Member, db: Database, signal: AbortSignal): Promise<Held[] | undefined> {
  worker.pause();
  // What it asked for before is done by then.
  await delay(settledMs, undefined, { signal });
  const held = await readHeld(db);
  return held && heldBy(held, worker);
}

function isLastChance({ losses }: Held): boolean {
  return losses >= sparedLosses;
}

function hitOf({ session, attempt, phase }: Held): Hit {
  return { session, attempt, phase };
}

/** Returns the sessions of a worker. Leases name it `<host>-<pid>-<six hexadecimal digits>`. */
function heldBy(held: readonly Held[], worker: Member): Held[] {
  const pid = worker.pid();
  return pid === undefined ? [] : held.filter(({ owner }) => new RegExp(`-${pid}-[0-9a-f]{6}$`).test(owner));
}

/** Returns the sessions that workers run now; undefined while the database is down. */
async function readHeld(db: Database): Promise<Held[] | undefined> {
  try {
    const { rows } = await db.pool.query<Held>(
      `select id as session, attempt_no as attempt, lease_owner as owner, losses,
         coalesce((select phase ->> 'name' from jsonb_array_elements(phases) as phase where phase ->> 'status' = 'running' limit 1),
           case when status in ('queued', 'provisioning') then 'provisioning' else 'between' end) as phase
       from sessions where status in ('queued', 'provisioning', 'running') and lease_owner <> ''`,
    );
    return rows;
  } catch {
    return undefined;
  }
}
