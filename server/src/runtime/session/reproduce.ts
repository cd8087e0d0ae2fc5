import type { Evidence } from '../../features/repositories/change-request-schemas.ts';
import type { AgentCheck } from '../../lib/agent-config.ts';
import type { Attempt } from './attempt.ts';
import { chooseCheck, type Check } from './check.ts';
import { runInCleanRoom } from './clean-room.ts';
import { reproducedBefore, type CheckResult } from './decide.ts';
import type { Room } from './sandboxes.ts';
import { phaseNamed } from './state.ts';
import type { Workplace } from './workplace.ts';

/** What the check says about the base commit. */
export interface Proof {
  check: Check | undefined;
  result: CheckResult;
  evidence: Evidence | undefined;
}

/** The check of the session as it is known now. What the files say is read only when nothing else says it. */
export async function findCheck(
  attempt: Attempt,
  { checkouts }: Workplace,
  agentCheck: AgentCheck | undefined,
): Promise<Check | undefined> {
  const sources = { sessionCommand: attempt.session.verify_command, agentCheck };
  const declared = checkouts.map(({ directory, verifyCommand }) => ({ directory, verifyCommand, files: new Map() }));
  const check = chooseCheck({ ...sources, repositories: declared });
  if (check !== undefined) return check;
  const repositories = await Promise.all(
    checkouts.map(async ({ directory, verifyCommand, project }) => {
      const { files } = await project();
      return { directory, verifyCommand, files };
    }),
  );
  return chooseCheck({ ...sources, repositories });
}

/** The phase reproduce: the check on the base commit, which has to fail for the change to prove anything. */
export async function reproduce(
  attempt: Attempt,
  workplace: Workplace,
  check: Check | undefined,
  prepared?: Promise<Room>,
): Promise<Proof> {
  if (check === undefined) {
    if (phaseNamed(attempt.phases, 'reproduce') === undefined)
      attempt.endPhase('reproduce', { status: 'skipped', summary: 'There is no check yet.' });
    return { check, result: 'none', evidence: undefined };
  }
  const before = reproducedBefore(attempt.phases, check.command);
  if (before !== undefined)
    return { check, result: before, evidence: phaseNamed(attempt.phases, 'reproduce')?.evidence[0] };
  attempt.beginPhase('reproduce');
  const evidence = await runInCleanRoom(attempt, workplace, {
    phase: 'reproduce',
    check,
    commitOf: ({ baseCommit }) => baseCommit,
    prepared,
  });
  const passes = evidence.exit_code === 0;
  attempt.endPhase('reproduce', {
    status: passes ? 'failed' : 'passed',
    summary: passes
      ? 'The check passes on the base commit already: the problem is not reproduced.'
      : `The check fails on the base commit, as expected (exit code ${evidence.exit_code ?? 'none'}).`,
    evidence: [evidence],
  });
  return { check, result: passes ? 'passed' : 'failed', evidence };
}
