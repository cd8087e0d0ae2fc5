import type { Context } from '../../app/context.ts';
import { messageOf, ProviderError } from '../../lib/errors.ts';
import { runBuilder } from '../../wiki/builder.ts';
import { refOf } from '../repositories/open-change-request.ts';
import { repositoryById, type RepositoryRow } from '../repositories/service.ts';
import { countWiki } from '../storage/ledger-service.ts';
import { materialOf } from './material-service.ts';
import { replacePages, setWikiState, sizeOf } from './store.ts';

export type GenerateContext = Pick<Context, 'db' | 'clock' | 'jobs' | 'sourceControl'>;

/**
 * Makes a repository's pages from its index. Running twice is harmless. Records a failure; throws it too if a repetition may
 * succeed.
 */
export async function generateWiki(
  ctx: GenerateContext,
  orgId: string,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const repository = await repositoryById(ctx, orgId, id);
  if (repository === undefined || repository.wiki_state === 'none') return;
  // An update of the index that runs or waits orders the pages again at its end.
  if (repository.index_state === 'queued' || repository.index_state === 'indexing') return;
  if (!(await setWikiState(ctx.db.kysely, id, 'generating'))) return;
  try {
    await generate(ctx, orgId, repository, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    const isRetryable = !(error instanceof ProviderError) || error.retryable;
    const problem =
      error instanceof ProviderError ? messageOf(error) : 'An unexpected error occurred. It is tried again.';
    await setWikiState(ctx.db.kysely, id, 'failed', problem);
    if (isRetryable) throw error;
  }
}

async function generate(ctx: GenerateContext, orgId: string, repository: RepositoryRow, signal: AbortSignal) {
  const { id, provider, repo, index_commit: commit, index_state, index_error } = repository;
  if (index_state === 'failed') throw failure(`Its index failed: ${index_error}`);
  if (commit === '') throw failure('It has no index. Create it with PUT …/index.');
  const source = ctx.sourceControl.of(provider);
  if (source.withGitDirectory === undefined) throw failure(`Repositories of ${provider} cannot have a wiki.`);
  const wiki = await source.withGitDirectory(refOf(orgId, repository), commit, (directory) =>
    runBuilder(materialOf(ctx, id, directory, commit), repo, { signal }),
  );
  if (wiki === undefined) throw failure('The indexed commit is gone. Push, or generate it again.');
  await ctx.db.transaction(async (trx) => {
    await replacePages(trx, id, { ...wiki, commit, now: ctx.clock.now() });
    await countWiki(trx, orgId, id, await sizeOf(trx, id));
    await ctx.jobs.enqueue(trx, 'wiki_prose', { org_id: orgId, repository_id: id }, { singletonKey: id });
  });
}

function failure(message: string): ProviderError {
  return new ProviderError(message, { retryable: false });
}
