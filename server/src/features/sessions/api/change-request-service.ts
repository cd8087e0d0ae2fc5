import type { Caller } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import { AppError } from '../../../lib/errors.ts';
import { fieldError } from '../../../lib/field-error.ts';
import { parseRepositoryName } from '../../../lib/providers.ts';
import { mutate } from '../../../mutation/mutate.ts';
import { recordingBlocks, whileOpening } from '../../guardrails/public.ts';
import { toApiShape } from '../../repositories/change-request-json.ts';
import { merges } from '../../repositories/change-request-service.ts';
import { extentOf } from '../../repositories/extent.ts';
import {
  changeRequestNews,
  openAtProvider,
  recordOpened,
  refOf,
  type OpenChangeRequest,
} from '../../repositories/open-change-request.ts';
import { readChangeRequest } from '../../repositories/public.ts';
import { requireRepository, type RepositoryRow } from '../../repositories/service.ts';
import { diffTurns } from '../../repositories/turns.ts';
import { settingsOf } from '../../settings/service.ts';
import { readDeliveredBody } from '../store/delivered-body-store.ts';
import { appendEvents } from '../store/log-store.ts';
import type { CreateSessionChangeRequest } from '../schemas/result-schemas.ts';
import { requireSession, type SessionContext } from './service.ts';

/**
 * Opens a change request for the branch that the session pushed, in its current state. Throws 409 `conflict` if nothing
 * was pushed or the session continues an open one, 409 `session_active` while a run may still push, and 403 `guardrail_blocked` if too many are open.
 */
export async function openForSession(
  ctx: SessionContext & Pick<Context, 'sourceControl'>,
  caller: Caller,
  sessionId: string,
  input: CreateSessionChangeRequest,
) {
  return recordingBlocks(ctx, caller, () => open(ctx, caller, sessionId, input), sessionId);
}

async function open(
  ctx: SessionContext & Pick<Context, 'sourceControl'>,
  caller: Caller,
  sessionId: string,
  input: CreateSessionChangeRequest,
) {
  const orgId = caller.organization.id;
  const session = await requireSession(ctx, orgId, sessionId);
  const named = input.repo === undefined ? undefined : parseRepositoryName(input.repo);
  const stored = session.repositories.find(
    ({ provider, repo }) =>
      (named?.provider ?? provider) === provider && (named?.repo ?? repo).toLowerCase() === repo.toLowerCase(),
  );
  if (stored === undefined && session.repositories.length === 0)
    throw new AppError('conflict', 'The session has no repository to open a change request in.');
  if (stored === undefined) throw fieldError('/repo', 'must name a repository of this session.');
  if (['queued', 'provisioning', 'running'].includes(session.status))
    throw new AppError('session_active', `The session is ${session.status}; it opens its change request itself.`);
  const { branch, base_ref: baseRef, change_request: number } = stored;
  const repository = await requireRepository(ctx, orgId, stored.repository_id);
  const continued = number && (await readChangeRequest(ctx.db.kysely, orgId, repository.id, number));
  if (continued && continued.state === 'open')
    throw new AppError('conflict', `The session continues change request ${number}, which is open.`);
  const source = ctx.sourceControl.of(repository.provider);
  const head = branch === '' ? undefined : await source.branchHead(refOf(orgId, repository), branch);
  if (head === undefined) throw new AppError('conflict', 'The session pushed no branch to this repository.');
  const { draft_by_default } = await settingsOf(ctx.db.kysely, orgId, 'source_control');
  const extent = await diffTurns.run(orgId, () => extentOf(ctx, orgId, repository, baseRef, head));
  const wanted = {
    orgId,
    repositoryId: repository.id,
    headRef: branch,
    headSha: head,
    baseRef,
    baseSha: extent.base_sha,
    additions: extent.additions,
    deletions: extent.deletions,
    changedFiles: extent.changed_files,
    title: input.title ?? session.title,
    body: input.body ?? (await readDeliveredBody(ctx.db.kysely, { sessionId, repositoryId: repository.id })),
    draft: input.draft ?? draft_by_default,
    evidence: session.phases.flatMap((phase) => phase.evidence),
    author: { type: caller.principal.type, id: caller.principal.id },
    sessionId,
  };
  return whileOpening(ctx, orgId, { repository, headRef: branch }, () =>
    openAndRecord(ctx, caller, repository, wanted),
  );
}

/** Opens a change request at its provider, and records it with its events. */
async function openAndRecord(
  ctx: SessionContext & Pick<Context, 'sourceControl'>,
  caller: Caller,
  repository: RepositoryRow,
  wanted: OpenChangeRequest,
) {
  const { orgId, sessionId, headSha: head } = wanted;
  const opened = await openAtProvider(ctx, wanted);
  const said = { base_ref: opened.said.baseRef, head_sha: head, mergeable: opened.said.mergeable ?? null };
  const mergeable = await merges(ctx, orgId, repository, said);
  return mutate(ctx, caller, async (trx, audit) => {
    const row = await recordOpened(trx, opened, ctx.clock.now());
    const data = changeRequestNews(ctx, caller.organization.slug, repository, row);
    await appendEvents(trx, sessionId, null, [{ kind: 'change_request', data }]);
    audit({
      action: 'change_request.open',
      resource: { type: 'change_request', id: row.id },
      changes: { session_id: sessionId },
    });
    return toApiShape(ctx, caller, row, mergeable);
  });
}
