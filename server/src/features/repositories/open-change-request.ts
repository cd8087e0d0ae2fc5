import type { Transaction } from 'kysely';
import { Refusal, type ProviderChangeRequest, type RepositoryRef } from '../../adapters/source-control/port.ts';
import type { PrincipalKind } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { consoleUrl } from '../../lib/console-url.ts';
import { notFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import type { Provider } from '../../lib/providers.ts';
import type { Evidence } from './change-request-schemas.ts';
import {
  insertChangeRequest,
  lockChangeRequest,
  openOnBranches,
  updateChangeRequestRow,
  type ChangeRequestRow,
} from './change-request-store.ts';
import { readRepository } from './store.ts';

export interface OpenChangeRequest {
  orgId: string;
  repositoryId: string;
  headRef: string;
  /** The pushed commit. */
  headSha: string;
  baseRef: string;
  baseSha: string;
  additions: number;
  deletions: number;
  changedFiles: number;
  title: string;
  /** Undefined: an open one keeps its description. */
  body: string | undefined;
  draft: boolean;
  evidence: Evidence[];
  author: { type: PrincipalKind; id: string };
  sessionId: string;
  /** An open one keeps its title, description and draft state. */
  keepsContent?: boolean;
}

/** A provider's response to an opening, before it is recorded. */
export interface OpenedChangeRequest {
  input: OpenChangeRequest;
  said: ProviderChangeRequest;
  created: boolean;
}

type ProviderContext = Pick<Context, 'db' | 'sourceControl'>;

/**
 * Opens a change request for a pushed branch at its provider, or updates the branch's open one. Idempotent, also after
 * a crash. Does not call git, because a worker cannot access the built-in host's files.
 */
export async function openAtProvider(ctx: ProviderContext, input: OpenChangeRequest): Promise<OpenedChangeRequest> {
  const { headRef, headSha, baseRef, title, body, draft } = input;
  const { source, ref } = await providerOf(ctx, input);
  const wanted = { title, body: body ?? '', draft, headRef, headSha, baseRef };
  const { changeRequest, created } = await source.openChangeRequest(ref, wanted);
  if (created || input.keepsContent === true) return { input, said: changeRequest, created };
  const content = { title, body: body ?? changeRequest.body, draft };
  return { input, said: await source.updateChangeRequest(ref, changeRequest.number, content), created };
}

/** Updates the branch's open change request at its provider; undefined if there is none. */
export async function updateAtProvider(
  ctx: ProviderContext,
  input: OpenChangeRequest & { body: string },
): Promise<OpenedChangeRequest | undefined> {
  const { orgId, repositoryId, headRef, title, body, draft } = input;
  const [known] = await openOnBranches(ctx.db.kysely, orgId, repositoryId, [headRef]);
  if (known === undefined) return undefined;
  const { source, ref } = await providerOf(ctx, input);
  try {
    return { input, said: await source.updateChangeRequest(ref, known.number, { title, body, draft }), created: false };
  } catch (error) {
    // Someone closed it meanwhile.
    if (error instanceof Refusal && error.reason === 'not_open') return undefined;
    throw error;
  }
}

async function providerOf(ctx: ProviderContext, { orgId, repositoryId }: OpenChangeRequest) {
  const repository = await readRepository(ctx.db.kysely, orgId, repositoryId);
  if (repository === undefined) throw notFound('repository', repositoryId);
  return { source: ctx.sourceControl.of(repository.provider), ref: refOf(orgId, repository) };
}

/** Records a newly opened change request, or the changes of an existing one. */
export async function recordOpened(
  trx: Transaction<DB>,
  { input, said }: OpenedChangeRequest,
  now: Date,
): Promise<ChangeRequestRow> {
  const { orgId, repositoryId } = input;
  const work = {
    head_sha: input.headSha,
    base_sha: input.baseSha,
    evidence: JSON.stringify(input.evidence),
    additions: input.additions,
    deletions: input.deletions,
    changed_files: input.changedFiles,
    updated_at: now,
  };
  const inserted = await insertChangeRequest(trx, {
    ...recordOf(said),
    ...work,
    id: newId('cr', now.getTime()),
    org_id: orgId,
    repository_id: repositoryId,
    number: said.number,
    head_ref: input.headRef,
    author_type: input.author.type,
    author_id: input.author.id,
    session_id: input.sessionId,
    created_at: now,
  });
  if (inserted !== undefined) return inserted;
  const row = await lockChangeRequest(trx, orgId, repositoryId, said.number);
  if (row === undefined) throw notFound('repository', repositoryId);
  return updateChangeRequestRow(trx, orgId, row.id, { ...newerThan(row, said), ...work });
}

/** Returns the columns that the provider determines. */
function recordOf(said: ProviderChangeRequest) {
  return {
    title: said.title,
    body: said.body,
    draft: said.draft,
    state: said.state,
    head_sha: said.headSha,
    base_ref: said.baseRef,
    merged_at: said.mergedAt,
    mergeable: said.mergeable ?? null,
    url: said.url,
    provider_updated_at: said.updatedAt,
  };
}

/** Returns a provider's report, unless the recorded one is newer: responses and webhooks may arrive out of order. */
export function newerThan(row: Pick<ChangeRequestRow, 'provider_updated_at'>, said: ProviderChangeRequest) {
  return said.updatedAt >= row.provider_updated_at ? recordOf(said) : {};
}

/** Returns the reference to a repository for its provider. */
export function refOf(orgId: string, row: { id: string; connection_id: string; repo: string }): RepositoryRef {
  return { orgId, connectionId: row.connection_id, id: row.id, repo: row.repo };
}

/** Returns the URL of a change request: at its provider, or else in the console. */
export function changeRequestUrl(
  ctx: Pick<Context, 'baseUrl'>,
  slug: string,
  { repository_id: id, number, url }: Pick<ChangeRequestRow, 'repository_id' | 'number' | 'url'>,
): string {
  return url || `${consoleUrl(ctx, slug)}/repositories/${id}/change-requests/${number}`;
}

/** Returns the event about the state of a change request for its session. */
export function changeRequestNews(
  ctx: Pick<Context, 'baseUrl'>,
  slug: string,
  { provider, repo }: { provider: Provider; repo: string },
  row: ChangeRequestRow,
) {
  const { number, state, draft } = row;
  return { provider, repo, number, url: changeRequestUrl(ctx, slug, row), state, draft };
}
