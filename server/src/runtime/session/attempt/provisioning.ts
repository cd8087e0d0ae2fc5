import type { StatusDetail } from '../../../features/sessions/schemas/session-schemas.ts';
import type { ProvisioningStep } from '../../../features/sessions/schemas/event-schemas.ts';
import type { Tool } from '../../../gateway/registry/registries.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { Attempt } from './attempt.ts';
import { RunFailed } from './control.ts';
import type { StepLimits } from '../../step-limits.ts';

interface Step {
  readonly step: keyof StepLimits;
  /** What it is about where there are several, e.g. a repository; `''` otherwise. */
  readonly subject: string;
  /** What is being done, for whoever waits. */
  readonly doing: string;
  /** What a session ends with whose step is not done in time, and what a person can do then. */
  readonly late: { readonly detail: StatusDetail; readonly what: string; readonly remedy: string };
}

/**
 * Does a step of provisioning and tells of it in the log, so that nobody waits for something unseen. When its time is over
 * `work` is aborted, and the session fails with words that name the step.
 */
export async function provision<T>(
  attempt: Pick<Attempt, 'ctx' | 'control' | 'events'>,
  step: Step,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limitMs = attempt.ctx.stepLimitsMs[step.step];
  const late = AbortSignal.timeout(limitMs);
  const signal = AbortSignal.any([attempt.control.signal, late]);
  const report = tell(attempt, step);
  try {
    const result = await unlessAborted(work(signal), signal);
    report('passed', '');
    return result;
  } catch (error) {
    const { detail, what, remedy } = step.late;
    const failure =
      late.aborted && !attempt.control.signal.aborted
        ? new RunFailed(detail, `${what} within ${words(limitMs)}. ${remedy}`, { code: 'provisioning_timeout' })
        : error;
    report('failed', attempt.control.signal.aborted ? 'It was stopped.' : messageOf(failure));
    throw failure;
  }
}

/** Says that a step is under way; the answered function says how it ended. */
function tell(
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
 * Waits for what npm on this host installs from where the session may install some, because variables depend on it; pip is
 * waited for by who asks it. Says of both what is not known.
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
    doing: `Asking ${tool} on the worker's machine where it installs from.`,
  } as const;
  const report = registries.isKnown(tool) ? undefined : tell(attempt, step);
  const problem = (await registries.read([tool])).unread?.[tool];
  if (attempt.resources.isClosed) return;
  if (problem === undefined) report?.('passed', '');
  else
    (report ?? tell(attempt, step))(
      'failed',
      `${problem} Nothing can be installed by ${tool} until it answers; it is asked again.`,
    );
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function words(ms: number): string {
  return ms < 60_000 ? `${ms / 1_000} seconds` : `${ms / 60_000} minutes`;
}
