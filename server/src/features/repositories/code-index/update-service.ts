import type { Context } from '../../../app/context.ts';
import { resolveRef } from '../../../git/bare.ts';
import { listBlobs, listChangedBlobs } from '../../../git/blobs.ts';
import { messageOf, ProviderError } from '../../../lib/errors.ts';
import { languageOf } from '../../../symbols/languages.ts';
import { openSymbolParser } from '../../../symbols/parser.ts';
import { skippedByPath } from '../../../symbols/skipped.ts';
import { refOf } from '../open-change-request.ts';
import { repositoryById, type RepositoryRow } from '../service.ts';
import { orderWiki } from './queue-service.ts';
import { readSymbols } from './read-blobs.ts';
import {
  beginRebuild,
  countIndex,
  deleteFiles,
  deleteUnusedBlobs,
  finishUpdate,
  insertBlobs,
  knownBlobs,
  noteProgress,
  putFiles,
  setIndexState,
  type IndexFile,
} from './store.ts';

type UpdateContext = Pick<Context, 'db' | 'clock' | 'jobs' | 'sourceControl' | 'log'>;

const mostSymbols = 3_000_000;
const mostFailures = 200;
const fileBatch = 5_000;

/**
 * Updates the index of a repository to the tip of its default branch. Running twice is harmless: blobs that were looked at are
 * not parsed again. Records a failure; throws it too if a repetition may succeed.
 */
export async function updateIndex(ctx: UpdateContext, orgId: string, id: string, signal: AbortSignal): Promise<void> {
  const repository = await repositoryById(ctx, orgId, id);
  if (repository === undefined || !(await setIndexState(ctx.db.kysely, id, { index_state: 'indexing' }))) return;
  try {
    await updateTo(ctx, orgId, repository, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    const isRetryable = !(error instanceof ProviderError) || error.retryable;
    const problem =
      error instanceof ProviderError ? messageOf(error) : 'An unexpected error occurred. It is tried again.';
    await ctx.db.transaction(async (trx) => {
      await setIndexState(trx, id, { index_state: 'failed', index_error: problem });
      await orderWiki(ctx, trx, orgId, id);
    });
    if (isRetryable) throw error;
  }
}

async function updateTo(ctx: UpdateContext, orgId: string, repository: RepositoryRow, signal: AbortSignal) {
  const { id, provider, default_branch: branch } = repository;
  const source = ctx.sourceControl.of(provider);
  if (source.withGitDirectory === undefined)
    throw new ProviderError(`Repositories of ${provider} cannot be indexed.`, { retryable: false });
  const ref = refOf(orgId, repository);
  const commit = await source.withGitDirectory(ref, `refs/heads/${branch}`, async (directory, head) => {
    const isRebuild = await ctx.db.transaction((trx) => beginRebuild(trx, id));
    const previous = isRebuild ? undefined : await resolveRef(directory, repository.index_commit);
    const files = await changesOf(directory, previous, head);
    // A push that the index has already leaves the progress as it was.
    if (previous !== head) await parseNew(ctx, id, directory, files, signal);
    await ctx.db.transaction(async (trx) => {
      if (previous === undefined) await deleteFiles(trx, id);
      for (let at = 0; at < files.length; at += fileBatch) await putFiles(trx, id, files.slice(at, at + fileBatch));
      await deleteUnusedBlobs(trx, id);
      await finishUpdate(trx, id, head, ctx.clock.now());
      await orderWiki(ctx, trx, orgId, id);
    });
    return head;
  });
  if (commit === undefined)
    throw new ProviderError(`The repository has no branch ${JSON.stringify(branch)}. Push it first.`, {
      retryable: false,
    });
}

/** Lists the files in known languages that differ from `previous`; all of them without it. */
async function changesOf(directory: string, previous: string | undefined, head: string): Promise<IndexFile[]> {
  const lists = previous === undefined ? listBlobs(directory, head) : listChangedBlobs(directory, previous, head);
  const files: IndexFile[] = [];
  for await (const list of lists)
    for (const file of list)
      if (languageOf(file.path) !== undefined) files.push({ ...file, skipped: skippedByPath(file.path) ?? '' });
  return files;
}

async function parseNew(
  ctx: UpdateContext,
  id: string,
  directory: string,
  files: readonly IndexFile[],
  signal: AbortSignal,
): Promise<void> {
  const { kysely } = ctx.db;
  const wanted = new Map(
    files
      .filter((file) => file.id !== '' && file.skipped === '')
      .map((file) => [file.id, { id: file.id, path: file.path }]),
  );
  for (const known of await knownBlobs(kysely, id, [...wanted.keys()])) wanted.delete(known);
  const budget = { symbols: mostSymbols - (await countIndex(kysely, id)).symbols, failures: mostFailures };
  let parsed = 0;
  await noteProgress(kysely, id, parsed, wanted.size);
  if (wanted.size === 0) return;
  const parser = openSymbolParser();
  try {
    for await (const batch of readSymbols(directory, [...wanted.values()], parser, budget)) {
      signal.throwIfAborted();
      await ctx.db.transaction((trx) => insertBlobs(trx, id, batch));
      parsed += batch.length;
      await noteProgress(kysely, id, parsed, wanted.size);
    }
  } finally {
    parser.close();
  }
}
