import type { Context } from '../../../app/context.ts';
import { AppError } from '../../../lib/errors.ts';
import { recordSystemAct } from '../../../mutation/mutate.ts';
import { updateWeight } from '../store/share-store.ts';

const greatest = 100;

/**
 * Sets the operator's weight of an organization: while organizations wait for the same workers, their sessions get places
 * in proportion to it. Throws 400 `invalid_request` unless it is a whole number from 1 to 100.
 */
export async function setWeight(ctx: Pick<Context, 'db' | 'clock'>, orgId: string, given: string): Promise<number> {
  const weight = /^\d{1,3}$/.test(given) ? Number(given) : 0;
  if (weight < 1 || weight > greatest)
    throw new AppError('invalid_request', `The weight must be a whole number from 1 to ${greatest}.`);
  await ctx.db.transaction(async (trx) => {
    await updateWeight(trx, orgId, weight);
    const fact = {
      action: 'organization.update',
      resource: { type: 'organization', id: orgId },
      changes: { weight },
    } as const;
    await recordSystemAct(trx, orgId, 'operator', fact, ctx.clock.now());
  });
  return weight;
}
