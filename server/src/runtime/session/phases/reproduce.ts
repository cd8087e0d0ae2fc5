import type { Evidence } from '../../../features/repositories/change-request-schemas.ts';
import type { AgentCheck } from '../../../lib/agent-config.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { findAddedFiles, type AddedFile } from '../checks/added-files.ts';
import { chooseCheck, type Check } from '../checks/check.ts';
import type { RepositoryChange } from '../checkpoints/repository-change.ts';
import { runInCleanSandbox } from './run-check.ts';
import { recordedResult, toCheckResult, type CheckResult } from '../checks/outcome.ts';
import { couldNotRunText } from './report.ts';
import type { SessionSandbox } from '../workspace/sandboxes.ts';
import { phaseNamed } from '../../../features/sessions/store/phases.ts';
import type { CheckoutSet } from '../workspace/checkout-set.ts';

/** The check and its result on the base commit. */
export interface Proof {
  check: Check | undefined;
  result: CheckResult;
  evidence: Evidence | undefined;
  /** New files of the change that were copied onto the base commit for the check; relative to the workspace. */
  addedFiles: readonly string[];
}

/** Returns the session's current check. Reads the repositories' files only if nothing else defines a check. */
export async function findCheck(
  attempt: Pick<Attempt, 'session'>,
  { checkouts }: CheckoutSet,
  agentCheck: AgentCheck | undefined,
): Promise<Check | undefined> {
  const { origin, deliver, verify_command: sessionCommand } = attempt.session;
  // A reviewer changes nothing that a check could prove.
  if (origin === 'review' && deliver === 'none') return undefined;
  const sources = { sessionCommand, agentCheck };
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

/** The phase reproduce: runs the check on the base commit. Only a check that fails there can prove the change. */
export async function reproduce(
  attempt: Attempt,
  checkoutSet: CheckoutSet,
  check: Check | undefined,
  prepared?: Promise<SessionSandbox>,
): Promise<Proof> {
  if (check === undefined) {
    if (phaseNamed(attempt.progress.phases, 'reproduce') === undefined)
      attempt.progress.endPhase('reproduce', { status: 'skipped', summary: 'There is no check yet.' });
    return { check, result: 'none', evidence: undefined, addedFiles: [] };
  }
  const before = recordedResult(attempt.progress.phases, check);
  if (before !== undefined)
    return {
      check,
      result: before,
      evidence: phaseNamed(attempt.progress.phases, 'reproduce')?.evidence[0],
      addedFiles: [],
    };
  const proof = await runOnBase(attempt, checkoutSet, check, { prepared, addedFiles: [] });
  if (proof.evidence?.problem !== undefined)
    attempt.events.warn('check_could_not_run', couldNotRunText(proof.evidence, 'base'));
  return proof;
}

/**
 * Repeats a check that could not run on the base commit, with the new files of the change that it needs. These are the
 * agent's own, like the files of a check that it declares.
 */
export async function reproduceWithAddedFiles(
  attempt: Attempt,
  checkoutSet: CheckoutSet,
  proof: Proof,
  changes: readonly RepositoryChange[],
): Promise<Proof> {
  const { check, result } = proof;
  if (check === undefined || result !== 'could_not_run') return proof;
  const addedFiles = await findAddedFiles(check, changes);
  return addedFiles.length === 0 ? proof : runOnBase(attempt, checkoutSet, check, { prepared: undefined, addedFiles });
}

async function runOnBase(
  attempt: Attempt,
  checkoutSet: CheckoutSet,
  check: Check,
  { prepared, addedFiles }: { prepared: Promise<SessionSandbox> | undefined; addedFiles: readonly AddedFile[] },
): Promise<Proof> {
  attempt.progress.beginPhase('reproduce');
  const evidence = await runInCleanSandbox(attempt, checkoutSet, {
    phase: 'reproduce',
    check,
    addedFiles,
    commitOf: ({ baseCommit }) => baseCommit,
    prepared,
  });
  const result = toCheckResult(evidence);
  const paths = addedFiles.map(({ path }) => path);
  const files = [...check.files.map(({ path }) => path), ...paths];
  const statuses = { passed: 'not_reproduced', failed: 'passed', could_not_run: 'could_not_run' } as const;
  attempt.progress.endPhase('reproduce', {
    status: statuses[result],
    summary: summaryOf(evidence, result, paths),
    evidence: [evidence, ...files.map(fileEvidence)],
  });
  return { check, result, evidence, addedFiles: paths };
}

function summaryOf(evidence: Evidence, result: Proof['result'], addedFiles: readonly string[]): string {
  const base = `on the base commit${addedFiles.length === 0 ? '' : `, with ${addedFiles.join(', ')} of the change copied onto it`}`;
  if (result === 'could_not_run') return `The check could not run ${base}: ${evidence.problem ?? ''}`;
  return result === 'passed'
    ? `The check passes ${base}: the problem is not reproduced.`
    : `The check fails ${base}, as expected (exit code ${evidence.exit_code ?? 'none'}).`;
}

/** Evidence of a file that was copied onto the base commit. */
function fileEvidence(path: string): Evidence {
  return { kind: 'file', command: path, exit_code: null, duration_ms: 0, output_tail: '', artifact_id: null };
}
