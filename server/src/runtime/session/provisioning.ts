import type { StatusDetail } from '../../features/sessions/schemas.ts';
import type { ProvisioningStep } from '../../features/sessions/event-schemas.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Attempt } from './attempt.ts';
import { RunFailed } from './control.ts';
import type { StepLimits } from './step-limits.ts';

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
  attempt: Attempt,
  step: Step,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limitMs = attempt.ctx.stepLimitsMs[step.step];
  const late = AbortSignal.timeout(limitMs);
  const signal = AbortSignal.any([attempt.signal, late]);
  const report = tell(attempt, step);
  try {
    const result = await unlessAborted(work(signal), signal);
    report('passed', '');
    return result;
  } catch (error) {
    const { detail, what, remedy } = step.late;
    const failure =
      late.aborted && !attempt.signal.aborted
        ? new RunFailed(detail, `${what} within ${words(limitMs)}. ${remedy}`, { code: 'provisioning_timeout' })
        : error;
    report('failed', attempt.signal.aborted ? 'It was stopped.' : messageOf(failure));
    throw failure;
  }
}

/** Says that a step is under way; the answered function says how it ended. */
function tell(
  attempt: Attempt,
  { step, subject, doing }: Pick<Step, 'subject' | 'doing'> & { step: ProvisioningStep },
) {
  const startedAt = performance.now();
  const write = (status: 'running' | 'passed' | 'failed', summary: string, duration_ms: number | null): void =>
    attempt.events.write({ kind: 'provisioning', data: { step, subject, status, summary, duration_ms } });
  write('running', doing, null);
  return (status: 'passed' | 'failed', summary: string) =>
    write(status, summary, Math.round(performance.now() - startedAt));
}

/** Waits for what the host installs packages from where the session may install some, and says what is not known of it. */
export async function awaitRegistries(attempt: Attempt, mayInstall: boolean): Promise<void> {
  const { registries } = attempt.ctx;
  if (!mayInstall) return;
  const step = { step: 'registries', subject: '', doing: "Reading the host's package registries." } as const;
  const report = registries.isKnown() ? undefined : tell(attempt, step);
  const { unread = {} } = await registries.read();
  const problems = Object.entries(unread).map(
    ([tool, problem]) => `${problem} Nothing can be installed by ${tool} until it answers; it is asked again.`,
  );
  if (problems.length > 0) (report ?? tell(attempt, step))('failed', problems.join(' '));
  else report?.('passed', '');
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
