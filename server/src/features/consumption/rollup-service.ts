import type { Transaction } from 'kysely';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import {
  addActiveUsers,
  addCalls,
  addMetrics,
  addSandboxTime,
  allowMemory,
  clearRollups,
  lockRollups,
  monthsOf,
  organizationIds,
  rowsIn,
  rowsWith,
  takePending,
  tryLockRollups,
  unlockRollups,
  type Ledger,
} from './rollup-store.ts';

type RollupContext = Pick<Context, 'db'>;

const batch = 20_000;

const ledgers = ['usage_records', 'measurements'] as const;

/**
 * Adds everything new in the ledgers to the rollups, a batch per transaction; of several processes one at a time does. The
 * ledgers take turns: one that grows fast does not keep the other waiting.
 */
export async function rollUp(ctx: RollupContext, signal?: AbortSignal): Promise<void> {
  for (let hasMore = true; hasMore; signal?.throwIfAborted()) {
    hasMore = false;
    for (const ledger of ledgers) if ((await addBatch(ctx, ledger)) === batch) hasMore = true;
  }
}

/** Returns the number of added rows. */
async function addBatch(ctx: RollupContext, ledger: Ledger): Promise<number> {
  return ctx.db.transaction(async (trx) => {
    if (!(await tryLockRollups(trx))) return 0;
    await allowMemory(trx);
    const ids = await takePending(trx, ledger, batch);
    if (ids.length > 0) await add(trx, ledger, rowsWith(ledger, ids));
    return ids.length;
  });
}

async function add(trx: Transaction<DB>, ledger: Ledger, rows: ReturnType<typeof rowsWith>): Promise<void> {
  if (ledger === 'usage_records') return addCalls(trx, rows);
  await addSandboxTime(trx, rows);
  await addMetrics(trx, rows);
  await addActiveUsers(trx, rows);
}

/**
 * Replaces the rollups of an organization, or of all, by sums of the ledgers as they are now. Each organization's
 * change at once; meanwhile, nothing is added to any rollup.
 */
export async function rebuildRollups(ctx: RollupContext, orgId?: string): Promise<number> {
  const ids = orgId === undefined ? await organizationIds(ctx.db.kysely) : [orgId];
  for (const id of ids) await rebuildOrganization(ctx, id);
  return ids.length;
}

async function rebuildOrganization(ctx: RollupContext, orgId: string): Promise<void> {
  await ctx.db.kysely.connection().execute(async (connection) => {
    // Before the transaction, whose snapshot must have what the process that held it wrote.
    await lockRollups(connection);
    try {
      await connection
        .transaction()
        .setIsolationLevel('repeatable read')
        .execute((trx) => rebuild(trx, orgId));
    } finally {
      await unlockRollups(connection);
    }
  });
}

async function rebuild(trx: Transaction<DB>, orgId: string): Promise<void> {
  await allowMemory(trx);
  await clearRollups(trx, orgId);
  for (const month of await monthsOf(trx, orgId))
    for (const ledger of ledgers) await add(trx, ledger, rowsIn(ledger, orgId, month));
}
