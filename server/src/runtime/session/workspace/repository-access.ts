import type { CloneAccess, RunAccess } from '../../../adapters/source-control/port.ts';
import { branchOf } from '../../../features/sessions/run/run-service.ts';
import type { GatewayRepository } from '../../../gateway/session.ts';
import type { Provider } from '../../../lib/providers.ts';
import type { Attempt } from '../attempt/attempt.ts';

/** A repository for the gateway, whose credentials are masked once they are used. */
export function gatewayRepository(
  { secrets }: Pick<Attempt, 'secrets'>,
  { provider, repo, access }: { provider: Provider; repo: string; access: CloneAccess | undefined },
): GatewayRepository {
  if (access === undefined) throw new Error('An empty workspace has no repository.');
  const masked = async (): Promise<string | undefined> => {
    const header = await access.authorization();
    if (header !== undefined) secrets.add('the credential of the run', header);
    return header;
  };
  return { provider, repo, remoteUrl: access.remoteUrl, authorization: masked, exempt: access.exempt };
}

/** The run's identity for a source control provider. */
export function runAccess({ ctx, run }: Pick<Attempt, 'ctx' | 'run'>, repositoryId: string): RunAccess {
  return {
    sessionId: run.id,
    fence: run.fence,
    branch: () => branchOf(ctx, run, repositoryId),
  };
}
