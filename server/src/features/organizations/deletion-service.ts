import type { Kysely } from 'kysely';
import { requireActive, type Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { fieldError } from '../../lib/field-error.ts';
import { mutate, recordSystemAct } from '../../mutation/mutate.ts';
import { requireMatch } from '../../mutation/precondition.ts';
import { lockOrganization, notifyStreams, updateOrganizationRow } from './store.ts';

type OrganizationContext = Pick<Context, 'db' | 'clock'>;

/** Tells if sessions of an organization are active, so that it cannot be deleted now. */
export type IsBusy = (db: Kysely<DB>, orgId: string) => Promise<boolean>;

/** The time in milliseconds during which a deleted organization can be restored. */
export const restorableMs = 30 * 24 * 3_600_000;

/**
 * Marks the caller's organization as deleted: it then serves only reads and its restoration, until it is purged 30 days later.
 * Throws 400 `invalid_request` unless `confirm` is its slug, 409 `organization_busy` while sessions run.
 */
export async function deleteOrganization(ctx: OrganizationContext, caller: Caller, confirm: string, isBusy: IsBusy) {
  const { id } = caller.organization;
  return mutate(ctx, caller, async (trx, audit) => {
    const now = ctx.clock.now();
    const before = await lockOrganization(trx, id);
    if (before === undefined) throw notFound('organization', id);
    await requireMatch(caller, () => before);
    if (confirm !== before.slug) throw fieldError('/confirm', `must be the slug, ${JSON.stringify(before.slug)}.`);
    requireActive(before);
    if (await isBusy(trx, id))
      throw new AppError(
        'organization_busy',
        'Sessions are running or waiting for a worker. Cancel them, or wait until they end.',
      );
    const after = await updateOrganizationRow(trx, id, { state: 'deleting', deleted_at: now, updated_at: now });
    audit({ action: 'organization.delete', resource: { type: 'organization', id }, changes: { slug: before.slug } });
    return after ?? before;
  });
}

/** Undoes a deletion. Throws 409 `conflict` for an organization that is not deleted, or was deleted more than 30 days ago. */
export async function restoreOrganization(ctx: OrganizationContext, caller: Caller) {
  const { id } = caller.organization;
  return mutate(ctx, caller, async (trx, audit) => {
    const now = ctx.clock.now();
    const before = await lockOrganization(trx, id);
    if (before === undefined) throw notFound('organization', id);
    if (before.state !== 'deleting' || before.deleted_at === null)
      throw new AppError('conflict', `The organization ${before.slug} is not deleted.`);
    if (now.getTime() - before.deleted_at.getTime() >= restorableMs)
      throw new AppError(
        'conflict',
        `The organization ${before.slug} was deleted more than 30 days ago and cannot be restored.`,
      );
    const after = await updateOrganizationRow(trx, id, { state: 'active', deleted_at: null, updated_at: now });
    audit({ action: 'organization.restore', resource: { type: 'organization', id } });
    return after ?? before;
  });
}

/**
 * Suspends or resumes an organization for the operator, by id or slug: a suspended organization only serves its identity, and
 * its sessions wait. Throws 404 `organization_not_found`, 409 `conflict` while it is being deleted.
 */
export async function suspendOrganization(
  ctx: OrganizationContext,
  organization: string,
  isSuspended: boolean,
): Promise<void> {
  await ctx.db.transaction(async (trx) => {
    const now = ctx.clock.now();
    const before = await lockOrganization(trx, organization);
    if (before === undefined) throw notFound('organization', organization);
    const { id, slug, state } = before;
    if (state === 'deleting')
      throw new AppError('conflict', `The organization ${slug} is being deleted. Restore it first.`);
    await updateOrganizationRow(trx, id, { state: isSuspended ? 'suspended' : 'active', updated_at: now });
    await notifyStreams(trx, id);
    const action = isSuspended ? 'organization.suspend' : 'organization.resume';
    await recordSystemAct(trx, id, 'operator', { action, resource: { type: 'organization', id } }, now);
  });
}
