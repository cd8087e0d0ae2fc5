import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../server/src/db/pool.ts';
import { rebuildRollups } from '../../server/src/features/consumption/rollup-service.ts';
import { rollUpAll } from '../../server/test/support/rollups.ts';
import { costsOf, digestOf, dropIndexes, seedLedgers, type Extent } from './consumption-data.ts';
import { seedSessions } from './seed.ts';

export interface Filled {
  sessions: number;
  records: number;
  /** In seconds: adding all rows of the ledgers to the rollups, batch by batch, and computing them again. */
  addedSeconds: number;
  rebuiltSeconds: number;
  /** True if every rollup is the same after the rebuild, and its costs are those of the ledger. */
  isEqual: boolean;
  costUsd: string;
  /** The size of the database. */
  sizeBytes: number;
}

const chunk = 20_000;

/** Fills the ledgers of an organization, keeps its rollups meanwhile as the server does, and computes them again. */
export async function fill(db: Database, extent: Extent, say: (line: string) => void): Promise<Filled> {
  say(`${extent.sessions.toLocaleString('en')} sessions`);
  const createIndexes = await dropIndexes(db);
  const seeded = new AbortController();
  const [addedSeconds] = await Promise.all([
    keepRollups(db, seeded.signal, say),
    seedSessions(db, extent.orgId, extent.sessions).then(() => say('sessions are there')),
    seedAll(db, extent, say).finally(() => seeded.abort()),
  ]);
  say('creating the indexes of the ledgers');
  await createIndexes();
  await db.pool.query('vacuum analyze');
  const kept = await digestOf(db, extent.orgId);
  say('computing the rollups again');
  const rebuiltSeconds = await secondsOf(async () => rebuildRollups({ db }, extent.orgId));
  say(`computed again in ${rebuiltSeconds.toFixed(0)} s; comparing`);
  const costs = await costsOf(db, extent.orgId);
  const isEqual = kept === (await digestOf(db, extent.orgId)) && costs.ledger === costs.rollups;
  await db.pool.query('vacuum analyze');
  return {
    sessions: extent.sessions,
    records: extent.sessions * extent.callsPerSession,
    addedSeconds,
    rebuiltSeconds,
    isEqual,
    costUsd: costs.ledger,
    sizeBytes: await sizeOf(db),
  };
}

async function seedAll(db: Database, extent: Extent, say: (line: string) => void): Promise<void> {
  for (let from = 0; from < extent.sessions; from += chunk) {
    const to = Math.min(extent.sessions, from + chunk);
    await seedLedgers(db, extent, from, to);
    say(`${(to * extent.callsPerSession).toLocaleString('en')} calls`);
  }
}

/** Adds rows to the rollups while they come. Returns the seconds for which it had any to add. */
async function keepRollups(db: Database, seeded: AbortSignal, say: (line: string) => void): Promise<number> {
  let seconds = 0;
  for (;;) {
    const isLast = seeded.aborted;
    const took = await secondsOf(() => rollUpAll({ db }));
    seconds += took;
    if (took > 1) say(`the rollups have everything after ${seconds.toFixed(0)} s`);
    if (isLast) return seconds;
    await delay(1_000, undefined, { signal: seeded }).catch(() => undefined);
  }
}

async function sizeOf(db: Database): Promise<number> {
  const { rows } = await db.pool.query<{ size: number }>('select pg_database_size(current_database())::float8 as size');
  return rows[0]?.size ?? 0;
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1_000;
}
