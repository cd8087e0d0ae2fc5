import {
  recordViolations,
  rulesOf,
  type Finding,
  type GuardedRepository,
  type GuardedRules,
} from '../../../features/guardrails/public.ts';
import type { Attempt } from './attempt.ts';

type GuardedAttempt = Pick<Attempt, 'ctx' | 'run' | 'session' | 'secrets'>;

/** Returns the current rules of the session's repositories. */
export async function currentRules({ ctx, run, session }: GuardedAttempt): Promise<GuardedRules[]> {
  const repositories = session.repositories.map(({ repository_id: id, provider, repo }) => ({ id, provider, repo }));
  return rulesOf(ctx.db.kysely, run.orgId, repositories);
}

/** A violation of a repository's rule. */
export interface Found {
  repository: GuardedRepository;
  finding: Finding;
}

/** Records violations of the session, without its secrets. */
export async function recordFound(
  { ctx, run, session, secrets }: GuardedAttempt,
  found: readonly Found[],
  { isFatal }: { isFatal: boolean },
): Promise<void> {
  await recordViolations(
    ctx,
    run.orgId,
    found.map(({ repository, finding }) => ({
      repository,
      sessionId: session.id,
      finding: secrets.masked(finding),
      isFatal: isFatal && finding.action === 'blocked',
    })),
  );
}
