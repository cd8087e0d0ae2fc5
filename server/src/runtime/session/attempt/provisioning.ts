import type { StatusDetail } from '../../../features/sessions/schemas/session-schemas.ts';
import type { ProvisioningStep } from '../../../features/sessions/schemas/event-schemas.ts';
import type { Tool } from '../../../gateway/registry/registries.ts';
import { messageOf } from '../../../lib/errors.ts';
import { unlessAborted } from '../../../lib/unless-aborted.ts';
import type { Attempt } from './attempt.ts';
import { RunFailed } from './control.ts';
import type { StepLimits } from '../../step-limits.ts';

interface Step {
  readonly step: keyof StepLimits;
  /** The subject where a step has several, e.g. a repository; `''` otherwise. */
  readonly subject: string;
  /** The action in progress, for the log. */
  readonly doing: string;
  /** The session's error when the step takes too long: `what` happened, and its `remedy`. */
  readonly late: { readonly detail: StatusDetail; readonly what: string; readonly remedy: string };
}

/**
 * Runs a step of provisioning and reports it in the session's log. At its limit `work` is aborted, and the session fails
 * with an error that names the step.
 */
export async function provision<T>(
  attempt: Pick<Attempt, 'ctx' | 'control' | 'events'>,
  step: Step,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limitMs = attempt.ctx.stepLimitsMs[step.step];
  const late = AbortSignal.timeout(limitMs);
  const signal = AbortSignal.any([attempt.control.signal, late]);
  const report = reportStep(attempt, step);
  try {
    const result = await unlessAborted(work(signal), signal);
    report('passed', '');
    return result;
  } catch (error) {
    const { detail, what, remedy } = step.late;
    const failure =
      late.aborted && !attempt.control.signal.aborted
        ? new RunFailed(detail, `${what} within ${formatDuration(limitMs)}. ${remedy}`, {
            code: 'provisioning_timeout',
          })
        : error;
    report('failed', attempt.control.signal.aborted ? 'Stopped.' : messageOf(failure));
    throw failure;
  }
}

/** Reports that a step is running. The returned function reports its end. */
function reportStep(
  attempt: Pick<Attempt, 'events'>,
  { step, subject, doing }: Pick<Step, 'subject' | 'doing'> & { step: ProvisioningStep },
) {
  const startedAt = performance.now();
  const write = (status: 'running' | 'passed' | 'failed', summary: string, duration_ms: number | null): void =>
    attempt.events.write({ kind: 'provisioning', data: { step, subject, status, summary, duration_ms } });
  write('running', doing, null);
  return (status: 'passed' | 'failed', summary: string) =>
    write(status, summary, Math.round(performance.now() - startedAt));
}

/**
 * Waits until npm's registries on this host are known, because the sandbox's variables depend on them; pip's are awaited on
 * first use. Reports a problem with either.
 */
export async function awaitRegistries(
  attempt: Pick<Attempt, 'ctx' | 'events' | 'resources'>,
  mayInstall: boolean,
): Promise<void> {
  if (!mayInstall) return;
  const pip = readRegistries(attempt, 'pip');
  pip.catch(() => undefined);
  await readRegistries(attempt, 'npm');
}

async function readRegistries(attempt: Pick<Attempt, 'ctx' | 'events' | 'resources'>, tool: Tool): Promise<void> {
  const { registries } = attempt.ctx;
  const step = {
    step: 'registries',
    subject: tool,
    doing: `Reading the registry configuration of ${tool} on the worker's machine.`,
  } as const;
  const report = registries.isKnown(tool) ? undefined : reportStep(attempt, step);
  const problem = (await registries.read([tool])).unread?.[tool];
  if (attempt.resources.isClosed) return;
  if (problem === undefined) report?.('passed', '');
  else
    (report ?? reportStep(attempt, step))(
      'failed',
      `${problem} Sandboxes cannot install packages with ${tool} until this succeeds; the worker tries again.`,
    );
}

function formatDuration(ms: number): string {
  return ms < 60_000 ? `${ms / 1_000} seconds` : `${ms / 60_000} minutes`;
}
