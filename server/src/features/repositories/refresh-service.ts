import { setTimeout as delay } from 'node:timers/promises';
import type { Actor } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { messageOf } from '../../lib/errors.ts';
import { builtInProvider } from '../../lib/providers.ts';
import { hostTurns } from './at-host.ts';
import { lockChangeRequest, updateChangeRequestRow, type ChangeRequestRow } from './change-request-store.ts';
import { extentOf } from './extent.ts';
import { refOf } from './open-change-request.ts';
import type { RepositoryRow } from './service.ts';
import { recordSaid } from './settle-service.ts';

export type RefreshContext = Pick<Context, 'db' | 'clock' | 'sourceControl' | 'baseUrl' | 'log'>;

/** The time that a reader waits for a git host. */
const waitMs = 5_000;
/** Within this time, a host is not asked again for the same change request. */
const freshMs = 20_000;
const mostRemembered = 10_000;

/** When hosts were last asked, by change request; the oldest come first. */
const asked = new Map<string, number>();

/**
 * Returns an open change request as its host describes it now. If the host fails or is slow, returns the record: what the host
 * says later is recorded for the next reader.
 */
export async function refreshed(
  ctx: RefreshContext,
  caller: Actor,
  repository: RepositoryRow,
  row: ChangeRequestRow,
): Promise<ChangeRequestRow> {
  if (repository.provider === builtInProvider || row.state !== 'open' || !isDue(row.id, ctx.clock.now().getTime()))
    return row;
  const { id, slug } = caller.organization;
  const current = refresh(ctx, { id, slug }, repository, row).catch((error: unknown) => {
    ctx.log.warn({ id: row.id, reason: messageOf(error) }, 'a git host does not tell the state of a change request');
    return row;
  });
  return Promise.race([current, delay(waitMs, row, { ref: false })]);
}

function isDue(id: string, now: number): boolean {
  const last = asked.get(id);
  if (last !== undefined && now - last < freshMs && now >= last) return false;
  asked.delete(id);
  asked.set(id, now);
  const [oldest] = asked.keys();
  if (asked.size > mostRemembered && oldest !== undefined) asked.delete(oldest);
  return true;
}

/** Asks the host, and records what it says. */
export async function refresh(
  ctx: RefreshContext,
  { id: orgId, slug }: { id: string; slug: string },
  repository: RepositoryRow,
  row: ChangeRequestRow,
): Promise<ChangeRequestRow> {
  const source = ctx.sourceControl.of(repository.provider);
  const said = await hostTurns.run(orgId, () => source.changeRequest(refOf(orgId, repository), row.number));
  if (said === undefined) return row;
  const by = { type: 'system', id: '' };
  const recorded = await ctx.db.transaction((trx) => recordSaid(ctx, trx, { orgId, slug, repository, row, by }, said));
  if (recorded.row.head_sha === row.head_sha || recorded.row.state !== 'open') return recorded.row;
  const extent = await extentOf(ctx, orgId, repository, recorded.row.base_ref, recorded.row.head_sha);
  return ctx.db.transaction(async (trx) => {
    const locked = await lockChangeRequest(trx, orgId, repository.id, row.number);
    if (locked?.head_sha !== recorded.row.head_sha) return locked ?? recorded.row;
    return updateChangeRequestRow(trx, orgId, row.id, extent);
  });
}
