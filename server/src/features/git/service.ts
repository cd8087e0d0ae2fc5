import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { RefUpdate } from '../../adapters/source-control/git-host.ts';
import { notFound } from '../../lib/errors.ts';
import { mutate } from '../../mutation/mutate.ts';
import { branchesPushed } from '../repositories/change-request-service.ts';
import { branchMoved } from '../repositories/code-index/queue-service.ts';
import { measureRepository } from '../repositories/size-service.ts';
import { adoptDefaultBranch, repositoryByName, requireRepository } from '../repositories/service.ts';
import { holds } from '../sessions/run/run-service.ts';
import { fullText } from '../storage/full.ts';
import { diskText, storageOf } from '../storage/quota-service.ts';
import type { RunCredential } from './credentials.ts';
import { builtInProvider } from '../../lib/providers.ts';

type GitContext = Pick<Context, 'db' | 'clock' | 'gitHost' | 'sourceControl' | 'baseUrl' | 'jobs'>;
type PushContext = Pick<Context, 'db' | 'config' | 'disk'>;

/** The maximum size of one push in bytes. */
export const largestPushBytes = 2 * 1024 ** 3;

/** Returns the repository of a clone URL, for a principal with a key. */
export async function hostedByName(ctx: GitContext, caller: Actor, repo: string) {
  const row = await repositoryByName(ctx, caller.organization.id, { repo, provider: builtInProvider });
  return { id: row.id, hosted: ctx.gitHost.open(caller.organization.id, row.id) };
}

/** Returns the repository of a run's credential; the URL must match it. */
export async function hostedByCredential(ctx: GitContext, credential: RunCredential, repo: string) {
  const row = await requireRepository(ctx, credential.org, credential.repository);
  if (row.repo.toLowerCase() !== repo.toLowerCase()) throw notFound('repository', repo);
  return { id: row.id, hosted: ctx.gitHost.open(credential.org, row.id) };
}

/**
 * Returns why a run may not push; undefined if it may: fast-forward, to its own branch, while its fencing token is
 * valid.
 */
export async function refusalOfRunPush(
  ctx: GitContext,
  credential: RunCredential,
  updates: readonly RefUpdate[],
): Promise<string | undefined> {
  if (credential.branch === '') return 'this session has no branch in this repository and may not push to it';
  const foreign = updates.find(({ ref }) => ref !== `refs/heads/${credential.branch}`);
  if (foreign !== undefined) return `this session may push ${credential.branch} and not ${foreign.ref}`;
  const { session, org, fence } = credential;
  return (await holds(ctx, { id: session, orgId: org, fence })) ? undefined : 'another worker took over the session';
}

/**
 * Returns the maximum size of a principal's push in bytes, and the reason if that is limited or 0. Deleting is always
 * allowed.
 */
export async function pushLimits(ctx: PushContext, orgId: string) {
  const { usedBytes, maxBytes } = await storageOf(ctx, ctx.db.kysely, orgId);
  const left = maxBytes - usedBytes;
  const problem = left <= 0 ? fullText(usedBytes, maxBytes) : ctx.disk.problem === '' ? undefined : diskText;
  return {
    maxPushBytes: Math.max(1, Math.min(largestPushBytes, left)),
    ...(left < largestPushBytes ? { tooLarge: fullText(usedBytes, maxBytes) } : {}),
    refusalOf: (updates: readonly RefUpdate[]) =>
      updates.every(({ new: sha }) => /^0+$/.test(sha)) ? undefined : problem,
  };
}

/** Updates open change requests of pushed branches and the index, and sets the default branch of a repository without one. */
export async function afterPush(
  ctx: GitContext,
  orgId: string,
  repositoryId: string,
  updates: RefUpdate[],
): Promise<void> {
  const branch = await adoptDefaultBranch(ctx, orgId, repositoryId, updates);
  await branchesPushed(ctx, orgId, repositoryId, updates);
  if (updates.some(({ ref }) => ref === `refs/heads/${branch}`)) await branchMoved(ctx, orgId, repositoryId);
  await measureRepository(ctx, orgId, repositoryId);
}

/** Audits a push. */
export async function recordPush(
  ctx: GitContext,
  caller: Caller,
  repositoryId: string,
  updates: RefUpdate[],
): Promise<void> {
  if (updates.length === 0) return;
  await mutate(ctx, caller, async (_trx, audit) => {
    audit({
      action: 'repository.push',
      resource: { type: 'repository', id: repositoryId },
      changes: { refs: updates.slice(0, 50) },
      data: { refs: updates.slice(0, 50) },
    });
  });
}
