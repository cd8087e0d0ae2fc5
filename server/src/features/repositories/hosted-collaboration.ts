import type { HostPermission, ReviewToSubmit } from '../../adapters/source-control/collaboration.ts';
import type { HostedCollaboration } from '../../adapters/source-control/hosted-collaboration.ts';
import type { RepositoryRef } from '../../adapters/source-control/port.ts';
import type { Transaction } from 'kysely';
import type { Database } from '../../db/pool.ts';
import type { DB } from '../../db/types.ts';
import type { Clock } from '../../lib/clock.ts';
import { ProviderError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { zeroId } from '../../git/names.ts';
import { recordSystemAct, type AuditFact } from '../../mutation/mutate.ts';
import { readChangeRequest, type ChangeRequestRow } from './change-request-store.ts';
import { lockComment, updateCommentRow } from './comment-store.ts';
import { acknowledge, insertComments, listChanged, listNewest, readAccess } from './hosted-comment-store.ts';
import { discussionOf } from './hosted-discussion.ts';
import { listStatusRows, statusesQuery } from './status-store.ts';
import { writeStatus } from './status-write.ts';

interface HostedContext {
  db: Pick<Database, 'kysely' | 'transaction'>;
  clock: Clock;
}

const display = 'Guildhall';
const maxChecks = 1_000;
const maxChanged = 100;
const byPlatform = { type: 'system', id: '' } as const;

/** Comments, reviews and statuses of the built-in host, in the platform's own tables. */
export function createHostedCollaboration(ctx: HostedContext): HostedCollaboration {
  const { db, clock } = ctx;
  return {
    async checks({ orgId, id }, headSha) {
      const rows = await listStatusRows(statusesQuery(db.kysely, orgId, id, headSha), undefined, maxChecks);
      return rows.map(({ state, updated_at: endedAt, ...check }) => {
        const { id: checkId, name, description, url } = check;
        const ended = state === 'pending' ? null : endedAt;
        return { id: checkId, name, state, description, url, isRequired: undefined, endedAt: ended };
      });
    },
    async setStatus({ orgId, id }, sha, status) {
      const now = clock.now();
      await db.transaction(async (trx) => {
        const facts: AuditFact[] = [];
        const writing = { orgId, repositoryId: id, author: byPlatform, now };
        await writeStatus(trx, writing, { ...status, sha }, (fact) => facts.push(fact));
        for (const fact of facts) await recordSystemAct(trx, orgId, display, fact, now);
      });
    },
    async discussion(repository, number) {
      const { id } = await requireRow(ctx, repository, number);
      return discussionOf(await listNewest(db.kysely, repository.orgId, id));
    },
    reply: (repository, number, threadId, body) => reply(ctx, repository, number, threadId, body),
    resolveThread: (repository, number, id) => changeComment(ctx, repository, number, id, { resolved: true }),
    updateComment: (repository, number, id, body) => changeComment(ctx, repository, number, id, { body }),
    submitReview: (repository, number, review) => submitReview(ctx, repository, number, review),
    async acknowledge(repository, number, commentId) {
      const { id } = await requireRow(ctx, repository, number);
      if (!(await acknowledge(db.kysely, repository.orgId, id, commentId, clock.now()))) throw missing(commentId);
    },
    permissionOf: ({ orgId }, login) => permissionOf(ctx, orgId, login),
    changedChangeRequests: ({ orgId, id }, since) => listChanged(db.kysely, orgId, id, since, maxChanged),
    async branchDeleted({ orgId, id }, branch, commit) {
      const refs = [{ ref: `refs/heads/${branch}`, old: commit, new: zeroId }];
      const resource = { type: 'repository', id };
      const fact = { action: 'repository.push', resource, changes: { refs }, data: { refs } } as const;
      await db.transaction((trx) => recordSystemAct(trx, orgId, display, fact, clock.now()));
    },
  };
}

/** Throws a ProviderError if the repository has no such change request. */
async function requireRow(
  { db }: HostedContext,
  { orgId, id }: RepositoryRef,
  number: number,
): Promise<ChangeRequestRow> {
  const row = await readChangeRequest(db.kysely, orgId, id, number);
  if (row !== undefined) return row;
  throw new ProviderError(`The repository has no change request ${number}.`, { retryable: false });
}

function missing(commentId: string): ProviderError {
  return new ProviderError(`The change request has no comment ${commentId}.`, { retryable: false });
}

async function reply(ctx: HostedContext, repository: RepositoryRef, number: number, threadId: string, body: string) {
  const { id: changeRequestId, head_sha } = await requireRow(ctx, repository, number);
  const { orgId } = repository;
  const now = ctx.clock.now();
  return ctx.db.transaction(async (trx) => {
    const first = await lockComment(trx, orgId, changeRequestId, threadId);
    if (first === undefined) throw missing(threadId);
    const { path, side, line, start_line } = first;
    const id = newId('crc', now.getTime());
    const place = { path, side, line, start_line, in_reply_to: threadId, head_sha };
    await insertComments(trx, [{ ...writtenBy(orgId, changeRequestId, now), ...place, id, body }]);
    await audit(trx, { orgId, changeRequestId, now }, 'change_request.comment', { comment_id: id });
    return { url: '' };
  });
}

async function changeComment(
  ctx: HostedContext,
  repository: RepositoryRef,
  number: number,
  id: string,
  change: { resolved: true } | { body: string },
): Promise<void> {
  const { id: changeRequestId } = await requireRow(ctx, repository, number);
  const { orgId } = repository;
  const now = ctx.clock.now();
  await ctx.db.transaction(async (trx) => {
    const comment = await lockComment(trx, orgId, changeRequestId, id);
    if (comment === undefined) throw missing(id);
    if ('resolved' in change ? comment.resolved : comment.body === change.body) return;
    await updateCommentRow(trx, id, change);
    const changed = 'resolved' in change ? { resolved: true } : { body: 'changed' };
    await audit(trx, { orgId, changeRequestId, now }, 'change_request.comment_update', { comment_id: id, ...changed });
  });
}

async function submitReview(ctx: HostedContext, repository: RepositoryRef, number: number, review: ReviewToSubmit) {
  const { id: changeRequestId } = await requireRow(ctx, repository, number);
  const { orgId } = repository;
  const now = ctx.clock.now();
  const id = newId('crc', now.getTime());
  const shared = { ...writtenBy(orgId, changeRequestId, now), head_sha: review.headSha };
  const state = review.verdict === 'request_changes' ? ('changes_requested' as const) : ('commented' as const);
  const comments = review.comments.map(({ startLine, path, line, side, body }) => ({
    ...shared,
    id: newId('crc', now.getTime()),
    review_id: id,
    path,
    line,
    side,
    start_line: startLine,
    body,
  }));
  return ctx.db.transaction(async (trx) => {
    await insertComments(trx, [{ ...shared, id, body: review.body, review_state: state }, ...comments]);
    const changes = { comment_id: id, comments: comments.length };
    await audit(trx, { orgId, changeRequestId, now }, 'change_request.comment', changes);
    return { id, threadIds: comments.map((comment) => comment.id) };
  });
}

function writtenBy(orgId: string, changeRequestId: string, now: Date) {
  return {
    org_id: orgId,
    change_request_id: changeRequestId,
    author_type: byPlatform.type,
    author_id: byPlatform.id,
    created_at: now,
  };
}

async function audit(
  trx: Transaction<DB>,
  { orgId, changeRequestId, now }: { orgId: string; changeRequestId: string; now: Date },
  action: 'change_request.comment' | 'change_request.comment_update',
  changes: Record<string, unknown>,
): Promise<void> {
  const resource = { type: 'change_request', id: changeRequestId };
  await recordSystemAct(trx, orgId, display, { action, resource, changes }, now);
}

async function permissionOf({ db, clock }: HostedContext, orgId: string, login: string): Promise<HostPermission> {
  const { permission, scopes } = await readAccess(db.kysely, orgId, login, clock.now());
  if (permission !== undefined) return permission === 'admin' ? 'admin' : permission === 'member' ? 'write' : 'read';
  if (scopes.includes('repos:write')) return 'write';
  return scopes.includes('repos:read') ? 'read' : 'none';
}
