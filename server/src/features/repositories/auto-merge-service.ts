import type { RepositoryRef } from '../../adapters/source-control/port.ts';
import type { Context } from '../../app/context.ts';
import type { Provider } from '../../lib/providers.ts';
import { autoMergingOn, clearAutoMerge, readAutoMerge, setAutoMerge } from './auto-merge-store.ts';
import { refOf } from './open-change-request.ts';
import { readRepository } from './store.ts';

type MergeContext = Pick<Context, 'db' | 'sourceControl'>;

/** An open change request, by its repository's provider and number. */
export interface MergePlace {
  readonly provider: Provider;
  readonly ref: RepositoryRef;
  readonly number: number;
}

/** Lets the host merge one commit by its own rules. It is on record first, so that it is taken back also after a crash. */
export async function beginAutoMerge(
  { db, sourceControl }: MergeContext,
  { provider, ref, number }: MergePlace,
  headSha: string,
): Promise<void> {
  await setAutoMerge(db.kysely, ref, number, headSha);
  await sourceControl.of(provider).enableAutoMerge?.(ref, number, 'merge', headSha);
}

/** Takes back that the host merges by itself, if the platform asked for it. Throws ProviderError if the host does not confirm. */
export async function endAutoMerge(
  { db, sourceControl }: MergeContext,
  { provider, ref, number }: MergePlace,
): Promise<void> {
  const { sha } = await readAutoMerge(db.kysely, ref, number);
  if (sha === '') return;
  await sourceControl.of(provider).disableAutoMerge?.(ref, number);
  await clearAutoMerge(db.kysely, ref, number, sha);
}

/** Takes it back for the open change request of a branch. */
export async function endAutoMergeOn(
  ctx: MergeContext,
  { orgId, repositoryId, headRef }: { orgId: string; repositoryId: string; headRef: string },
): Promise<void> {
  const number = await autoMergingOn(ctx.db.kysely, orgId, repositoryId, headRef);
  if (number === undefined) return;
  const repository = await readRepository(ctx.db.kysely, orgId, repositoryId);
  if (repository === undefined) return;
  await endAutoMerge(ctx, { provider: repository.provider, ref: refOf(orgId, repository), number });
}
