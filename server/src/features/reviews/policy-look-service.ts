import type { Transaction } from 'kysely';
import { ComparisonTooLarge } from '../../adapters/source-control/port.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { AppError } from '../../lib/errors.ts';
import { requireChangeRequest } from '../repositories/change-request-service.ts';
import { refOf } from '../repositories/open-change-request.ts';
import type { ChangeRequestRow } from '../repositories/public.ts';
import { requireRepository } from '../repositories/service.ts';
import { addReview } from './create-service.ts';
import { linesOf } from './diff-lines.ts';
import { isGenerated } from './generated.ts';
import { policyOf } from './policy-service.ts';
import { hasReview, listUnfinished, updateReview } from './store.ts';

type PolicyContext = Pick<Context, 'db' | 'clock' | 'jobs' | 'sourceControl'>;

export interface ChangeRequestPlace {
  org_id: string;
  repository_id: string;
  number: number;
}

/** Enqueues a look at a change request, after a quiet time in milliseconds. */
export async function enqueuePolicyLook(
  ctx: Pick<Context, 'clock' | 'jobs'>,
  trx: Transaction<DB>,
  { org_id, repository_id, number }: ChangeRequestPlace,
  afterMs: number,
): Promise<void> {
  const startAfter = afterMs === 0 ? {} : { startAfter: new Date(ctx.clock.now().getTime() + afterMs) };
  const singletonKey = `${repository_id} ${number}`;
  await ctx.jobs.enqueue(trx, 'review', { org_id, repository_id, number }, { singletonKey, ...startAfter });
}

/** Returns how many lines a change request changes in files that people write; Infinity if it is too large to compare. */
async function writtenLines(ctx: PolicyContext, orgId: string, change: ChangeRequestRow): Promise<number> {
  const repository = await requireRepository(ctx, orgId, change.repository_id);
  const source = ctx.sourceControl.of(repository.provider);
  try {
    const { files } = await source.compare(refOf(orgId, repository), change.base_sha, change.head_sha);
    const lines = linesOf(files);
    const written = files.filter(({ path }) => !isGenerated(path, lines.get(path)));
    return written.reduce((sum, { additions, deletions }) => sum + additions + deletions, 0);
  } catch (error) {
    if (error instanceof ComparisonTooLarge) return Infinity;
    throw error;
  }
}

/** Adds the review that the repository's policy wants for the head of a change request. */
export async function lookAtChangeRequest(ctx: PolicyContext, place: ChangeRequestPlace): Promise<void> {
  const { org_id: orgId, repository_id: repositoryId, number } = place;
  const policy = await policyOf(ctx.db.kysely, orgId, repositoryId);
  if (policy.mode === 'off') return;
  const change = await requireChangeRequest(ctx, orgId, repositoryId, number).catch((error: unknown) => {
    // It was deleted meanwhile.
    if (error instanceof AppError) return undefined;
    throw error;
  });
  if (change?.state !== 'open' || (change.draft && !policy.drafts)) return;
  // Sessions check their own work; what they propose is reviewed where the policy asks for it.
  if (change.session_id !== '' && !policy.own_changes) return;
  const lines = await writtenLines(ctx, orgId, change);
  if (lines === 0 || lines > policy.max_changed_lines) return;
  await ctx.db.transaction(async (trx) => {
    if (policy.mode === 'once' && (await hasReview(trx, change.id))) return;
    const unfinished = await listUnfinished(trx, change.id);
    // A running review is finished, and then looks here again.
    if (unfinished.some(({ status, head_sha }) => status === 'running' || head_sha === change.head_sha)) return;
    for (const { id } of unfinished) {
      const now = ctx.clock.now();
      await updateReview(trx, id, { status: 'superseded', completed_at: now, updated_at: now });
      await ctx.jobs.enqueue(trx, 'review', { review_id: id }, { singletonKey: id });
    }
    const by = { type: 'system', id: '' } as const;
    await addReview(ctx, trx, change, { orgId, trigger: 'policy', by, instructions: '' });
  });
}
