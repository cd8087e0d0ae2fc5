import type { Context } from '../../app/context.ts';
import { requireBranchName } from '../../git/names.ts';
import { fieldError } from '../../lib/field-error.ts';
import type { Provider } from '../../lib/providers.ts';
import { createTurns } from '../../lib/turns.ts';
import { connectionTo } from '../git-connections/service.ts';
import { refOf } from './open-change-request.ts';

type HostContext = Pick<Context, 'db' | 'sourceControl'>;

/** A repository of another git host. */
interface AtHost {
  readonly id: string;
  readonly provider: Provider;
  readonly repo: string;
  readonly connection_id: string;
}

/** Limits calls of git hosts that a client waits for. */
export const hostTurns = createTurns('requests to git hosts', { each: 8, total: 64, waiting: 64, maxWaitMs: 30_000 });

/** Returns what the host says of a repository through a connection. Throws 400 if the connection cannot reach it. */
export async function requireAtHost(
  ctx: HostContext,
  orgId: string,
  repository: Omit<AtHost, 'connection_id'>,
  connectionId: string | undefined,
) {
  const { provider, repo } = repository;
  const connection = await connectionTo(ctx, orgId, provider, connectionId);
  const ref = refOf(orgId, { ...repository, connection_id: connection.id });
  const found = await hostTurns.run(orgId, () => ctx.sourceControl.of(provider).find(ref));
  if (found === undefined)
    throw fieldError(
      '/repo',
      `: ${connection.host === '' ? 'the built-in git host' : connection.host} has no repository ${repo}, or the git connection ${JSON.stringify(connection.name)} has no access to it.`,
    );
  return { connection, defaultBranch: found.defaultBranch };
}

/** Throws 400 for a branch that the host does not have. */
export async function refuseHostBranch(
  ctx: HostContext,
  orgId: string,
  repository: AtHost,
  branch: string,
): Promise<void> {
  requireBranchName(branch, '/default_branch');
  const source = ctx.sourceControl.of(repository.provider);
  const head = await hostTurns.run(orgId, () => source.branchHead(refOf(orgId, repository), branch));
  if (head === undefined)
    throw fieldError('/default_branch', `: the repository has no branch ${JSON.stringify(branch)}.`);
}
