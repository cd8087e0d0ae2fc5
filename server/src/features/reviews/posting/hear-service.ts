import type { Discussion } from '../../../adapters/source-control/collaboration.ts';
import type { Context } from '../../../app/context.ts';
import { recordSystemAct } from '../../../mutation/mutate.ts';
import { refOf } from '../../repositories/open-change-request.ts';
import { requireRepository } from '../../repositories/service.ts';
import { lockFindings, updateFindingRow } from '../finding-store.ts';
import type { ReviewRow } from '../store.ts';
import { display, readAllFindings } from './post-store.ts';
import { deciders, hear } from './threads.ts';

export type HearContext = Pick<Context, 'db' | 'clock' | 'sourceControl'>;

/** People whose permission is asked for at once. */
const maxAsked = 50;

/**
 * Reads what people said on a change request and records what they decided about findings. Returns undefined if the host does
 * not offer it.
 */
export async function hearPeople(
  ctx: HearContext,
  { org_id: orgId, repository_id, change_request_id, number }: ReviewRow,
): Promise<Discussion | undefined> {
  const repository = await requireRepository(ctx, orgId, repository_id);
  const source = ctx.sourceControl.of(repository.provider);
  const ref = refOf(orgId, repository);
  if (source.discussion === undefined) return undefined;
  const discussion = await source.discussion(ref, number);
  const findings = await readAllFindings(ctx.db.kysely, change_request_id);
  const mayDecide = new Set<string>();
  // Without a way to ask, nobody's reply decides; a resolved thread does, because the host checks who may resolve it.
  for (const login of [...deciders(findings, discussion)].slice(0, maxAsked)) {
    const permission = (await source.permissionOf?.(ref, login)) ?? 'none';
    if (permission === 'write' || permission === 'admin') mayDecide.add(login);
  }
  const now = ctx.clock.now();
  await ctx.db.transaction(async (trx) => {
    const rows = await lockFindings(trx, change_request_id);
    for (const { id, dismissal, isResolved, lastCommentId } of hear(rows, discussion, mayDecide)) {
      const heard = { heard_comment_id: lastCommentId, thread_resolved: isResolved, updated_at: now };
      if (dismissal === undefined) {
        await updateFindingRow(trx, id, heard);
        continue;
      }
      await updateFindingRow(trx, id, { ...heard, status: 'dismissed', reason: dismissal.slice(0, 2_000) });
      const resource = { type: 'finding', id } as const;
      await recordSystemAct(
        trx,
        orgId,
        display,
        { action: 'finding.update', resource, changes: { status: 'dismissed' }, data: { status: 'dismissed' } },
        now,
      );
    }
  });
  return discussion;
}
