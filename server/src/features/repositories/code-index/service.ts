import type { Actor, Caller } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import { notFound } from '../../../lib/errors.ts';
import { mutate } from '../../../mutation/mutate.ts';
import { skipReasons } from '../../../symbols/skipped.ts';
import { requireRepository } from '../service.ts';
import { orderUpdate } from './queue-service.ts';
import { countIndex, dropIndex, readIndex } from './store.ts';

type IndexContext = Pick<Context, 'db' | 'clock' | 'jobs'>;

export async function getIndex(ctx: Pick<Context, 'db'>, caller: Actor, id: string) {
  const row = await requireRepository(ctx, caller.organization.id, id);
  const [progress, { files, symbols }] = await Promise.all([
    readIndex(ctx.db.kysely, id),
    countIndex(ctx.db.kysely, id),
  ]);
  const count = (skipped: string): number => files.find((one) => one.skipped === skipped)?.files ?? 0;
  const [tooLarge, binary, generated, vendored, failed] = skipReasons.map(count);
  return {
    state: row.index_state,
    commit: row.index_commit,
    indexed_at: row.indexed_at,
    error: row.index_error,
    files: count(''),
    symbols,
    skipped: {
      too_large: tooLarge ?? 0,
      binary: binary ?? 0,
      generated: generated ?? 0,
      vendored: vendored ?? 0,
      failed: failed ?? 0,
    },
    progress: { parsed: progress?.files_parsed ?? 0, total: progress?.files_to_parse ?? 0 },
  };
}

/** Orders a new index, which replaces an existing one. */
export async function putIndex(ctx: IndexContext, caller: Caller, id: string) {
  const orgId = caller.organization.id;
  await mutate(ctx, caller, async (trx, audit) => {
    if (!(await orderUpdate(ctx, trx, { orgId, id, create: true }))) throw notFound('repository', id);
    audit({ action: 'repository.index', resource: { type: 'repository', id } });
  });
  return getIndex(ctx, caller, id);
}

/** Deletes the index. An update that runs ends without a trace. */
export async function deleteIndex(ctx: IndexContext, caller: Caller, id: string): Promise<null> {
  const orgId = caller.organization.id;
  await requireRepository(ctx, orgId, id);
  await mutate(ctx, caller, async (trx, audit) => {
    await dropIndex(trx, orgId, id);
    audit({ action: 'repository.index_delete', resource: { type: 'repository', id } });
  });
  return null;
}
