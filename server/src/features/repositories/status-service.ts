import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import { AppError } from '../../lib/errors.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { builtInProvider } from '../../lib/providers.ts';
import { mutate } from '../../mutation/mutate.ts';
import { requireRepository } from './service.ts';
import type { SetCommitStatus } from './status-schemas.ts';
import { listStatusRows, statusesQuery } from './status-store.ts';
import { writeStatus } from './status-write.ts';
import { listingTurns } from './turns.ts';

type StatusContext = Pick<Context, 'db' | 'clock' | 'gitHost'>;

/** Lists the statuses of a commit, newest first. */
export async function listStatuses(
  ctx: Pick<Context, 'db'>,
  caller: Actor,
  repositoryId: string,
  query: PageQuery & { sha: string },
) {
  const orgId = caller.organization.id;
  await requireBuiltIn(ctx, orgId, repositoryId);
  const rows = statusesQuery(ctx.db.kysely, orgId, repositoryId, query.sha);
  return paginate({
    list: 'commit_statuses',
    filters: { repositoryId, sha: query.sha },
    query,
    rows: (after, limit) => listStatusRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
}

/** Sets the status of a commit as a caller. Throws 404 `not_found` for a commit that the repository does not have. */
export async function setStatus(ctx: StatusContext, caller: Caller, repositoryId: string, input: SetCommitStatus) {
  const orgId = caller.organization.id;
  await requireBuiltIn(ctx, orgId, repositoryId);
  const commit = await listingTurns.run(orgId, () => ctx.gitHost.open(orgId, repositoryId).resolve(input.sha));
  if (commit !== input.sha)
    throw new AppError('not_found', `The repository has no commit ${input.sha}. Push it first.`);
  const { type, id } = caller.principal;
  return mutate(ctx, caller, (trx, audit) =>
    writeStatus(trx, { orgId, repositoryId, author: { type, id }, now: ctx.clock.now() }, input, audit),
  );
}

/** Throws 404 `repository_not_found`, and 409 `conflict` for a repository of another host. */
async function requireBuiltIn(ctx: Pick<Context, 'db'>, orgId: string, repositoryId: string): Promise<void> {
  const { provider } = await requireRepository(ctx, orgId, repositoryId);
  if (provider !== builtInProvider)
    throw new AppError(
      'conflict',
      'Only repositories of the built-in git host have statuses here. Set it at the git host of this repository.',
    );
}
