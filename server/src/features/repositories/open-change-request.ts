import type { Transaction } from 'kysely';
import type { PrincipalKind } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { notFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import type { Provider } from '../../lib/providers.ts';
import type { Evidence } from './change-request-schemas.ts';
import {
  insertChangeRequest,
  lockOpenOnBranches,
  updateChangeRequestRow,
  type ChangeRequestRow,
} from './change-request-store.ts';
import { lockRepository, takeNumber } from './store.ts';

export interface OpenChangeRequest {
  orgId: string;
  repositoryId: string;
  headRef: string;
  /** The commit that was pushed to it. */
  headSha: string;
  baseRef: string;
  baseSha: string;
  additions: number;
  deletions: number;
  changedFiles: number;
  title: string;
  body: string;
  draft: boolean;
  evidence: Evidence[];
  author: { type: PrincipalKind; id: string };
  sessionId: string;
  now: Date;
}

/**
 * Opens a change request for a pushed branch of the built-in host, or brings the open one of that branch up to date.
 * Asks no git: a worker does not share the host's files, and knows the commits it pushed.
 */
export async function openChangeRequest(
  trx: Transaction<DB>,
  input: OpenChangeRequest,
): Promise<{ row: ChangeRequestRow; created: boolean }> {
  const { orgId, repositoryId, now } = input;
  // Locked first, so that two runs cannot both find no open change request.
  if (!(await lockRepository(trx, orgId, repositoryId))) throw notFound('repository', repositoryId);
  const content = {
    title: input.title,
    body: input.body,
    draft: input.draft,
    head_sha: input.headSha,
    base_sha: input.baseSha,
    evidence: JSON.stringify(input.evidence),
    additions: input.additions,
    deletions: input.deletions,
    changed_files: input.changedFiles,
    updated_at: now,
  };
  const [open] = await lockOpenOnBranches(trx, orgId, repositoryId, [input.headRef]);
  if (open !== undefined) return { row: await updateChangeRequestRow(trx, open.id, content), created: false };
  const row = await insertChangeRequest(trx, {
    id: newId('cr', now.getTime()),
    org_id: orgId,
    repository_id: repositoryId,
    number: await takeNumber(trx, repositoryId),
    head_ref: input.headRef,
    base_ref: input.baseRef,
    author_type: input.author.type,
    author_id: input.author.id,
    session_id: input.sessionId,
    created_at: now,
    ...content,
  });
  return { row, created: true };
}

/** Where a change request is found in the API. */
export function changeRequestUrl(
  ctx: Pick<Context, 'baseUrl'>,
  slug: string,
  { repository_id: id, number }: Pick<ChangeRequestRow, 'repository_id' | 'number'>,
): string {
  return `${ctx.baseUrl()}/v3/organizations/${slug}/repositories/${id}/change-requests/${number}`;
}

/** How a change request stands, as its session is told. */
export function changeRequestNews(
  ctx: Pick<Context, 'baseUrl'>,
  slug: string,
  { provider, repo }: { provider: Provider; repo: string },
  row: ChangeRequestRow,
) {
  const { number, state, draft } = row;
  return { provider, repo, number, url: changeRequestUrl(ctx, slug, row), state, draft };
}
