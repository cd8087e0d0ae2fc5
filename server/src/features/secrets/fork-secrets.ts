import type { Transaction } from 'kysely';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { newId } from '../../lib/ids.ts';
import { open, seal } from './envelope.ts';
import { sessionPurpose } from './public.ts';
import { copyOwnUses, insertSessionSecrets, listSessionSecrets } from './session-store.ts';

type ForkContext = Pick<Context, 'db' | 'keyRing' | 'clock'>;

/**
 * Prepares what a fork must know of the secrets of its source, whose work it takes over. Secrets that were sent for the source
 * alone are masked in the fork, which does not get them. If the source ever got its creator's own secrets, so does the fork: it
 * is steered by its creator alone, and nothing of other members comes beside them. Call it before the transaction, which must
 * not wait for a KMS.
 */
export async function prepareForkedSecrets(
  ctx: ForkContext,
  orgId: string,
  { source, forkId }: { source: string; forkId: string },
): Promise<{ keep(trx: Transaction<DB>): Promise<void> }> {
  const now = ctx.clock.now();
  const known = await listSessionSecrets(ctx.db.kysely, orgId, source);
  const rows = await Promise.all(
    known.map(async ({ id: knownId, sealed, ...secret }) => {
      const id = newId('sec', now.getTime());
      const value = await open(ctx, orgId, sessionPurpose(source, knownId), sealed);
      const resealed = await seal(ctx, orgId, sessionPurpose(forkId, id), value);
      value.fill(0);
      const place = { id, org_id: orgId, session_id: forkId, created_at: now };
      return { ...secret, ...place, sealed: resealed, masked_only: true };
    }),
  );
  return {
    async keep(trx) {
      await insertSessionSecrets(trx, rows);
      await copyOwnUses(trx, source, forkId);
    },
  };
}
