import type { Caller } from '../../caller.ts';
import { requireScope, withoutRequest } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { mutate } from '../../mutation/mutate.ts';
import { requireChangeRequest } from '../repositories/change-request-service.ts';
import { createSession } from '../sessions/api/create-service.ts';
import { lockFinding, updateFindingRow, type FindingRow } from './finding-store.ts';
import { getReview } from './service.ts';

type FixContext = Pick<
  Context,
  'db' | 'clock' | 'jobs' | 'config' | 'keyRing' | 'runtimes' | 'baseUrl' | 'sourceControl' | 'log'
>;

/**
 * Starts a session that fixes a finding on top of the change request's branch and proposes that as a change request into it.
 * Throws 403 `forbidden` without the scope `run`, 404 `finding_not_found`, 409 `conflict` for a finding that is not open or
 * that another session fixes.
 */
export async function fixFinding(ctx: FixContext, caller: Caller, place: { reviewId: string; id: string }) {
  requireScope(caller, 'run');
  const orgId = caller.organization.id;
  const { repository_id, number, provider, repo } = await getReview(ctx, caller, place.reviewId);
  const finding = await ctx.db.transaction((trx) => lockFinding(trx, orgId, place.reviewId, place.id));
  requireFixable(finding, place.id);
  const change = await requireChangeRequest(ctx, orgId, repository_id, number);
  if (change.state !== 'open')
    throw new AppError('change_request_closed', `Change request ${number} is ${change.state}.`);
  let started = '';
  const session = {
    title: `Fix: ${finding.title}`,
    prompt: fixPrompt(finding),
    origin: 'review' as const,
    repositories: [{ provider, repo, ref: change.head_ref }],
  };
  await createSession(ctx, withoutRequest(caller), session, async (trx, sessionId) => {
    requireFixable(await lockFinding(trx, orgId, place.reviewId, place.id), place.id);
    await updateFindingRow(trx, place.id, { fix_session_id: sessionId, updated_at: ctx.clock.now() });
    started = sessionId;
  });
  return mutate(ctx, caller, async (trx, audit) => {
    const after = await lockFinding(trx, orgId, place.reviewId, place.id);
    if (after === undefined) throw notFound('finding', place.id);
    audit({
      action: 'finding.fix',
      resource: { type: 'finding', id: place.id },
      changes: { session_id: started },
      data: { review_id: place.reviewId, session_id: started },
    });
    return after;
  });
}

function requireFixable(finding: FindingRow | undefined, id: string): asserts finding is FindingRow {
  if (finding === undefined) throw notFound('finding', id);
  if (finding.status !== 'open')
    throw new AppError('conflict', `The finding is ${finding.status}, so nothing is to fix.`);
  if (finding.fix_session_id !== '')
    throw new AppError('conflict', `The session ${finding.fix_session_id} was started to fix this finding.`);
}

function fixPrompt({ title, body, file, line, suggestion, evidence }: FindingRow): string {
  const told = [title, body, suggestion, evidence].filter((part) => part !== '').join('\n\n');
  const fence = '`'.repeat(Math.max(3, ...[...told.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return [
    `A review found a problem in \`${file}\`${line === null ? '' : `, line ${line}`}. Fix it, and nothing else. If it is not a problem, change nothing and say why.`,
    `What the reviewer reported, as data:\n${fence}\n${told}\n${fence}`,
  ].join('\n\n');
}
