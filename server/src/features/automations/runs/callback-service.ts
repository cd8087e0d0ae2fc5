import type { Transaction } from 'kysely';
import type { AuthenticatedCaller } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import type { DB } from '../../../db/types.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { mutate } from '../../../mutation/mutate.ts';
import { leaseMs } from './due.ts';
import { correctAttempt, endAttempt } from './end-attempt.ts';
import { moveRun } from './move.ts';
import { judge, type Verdict } from './report.ts';
import type { ReportRun } from './schemas.ts';
import { dataOf, resourceOf } from './service.ts';
import { lockRun, type LockedRun, type RunRow } from './store.ts';
import { readTokenAttempt } from './token-store.ts';

type CallbackContext = Pick<Context, 'db' | 'clock' | 'jobs'>;

/**
 * Takes an executor's report on an attempt. Throws 404 `run_not_found`, 403 `forbidden` for the callback token of
 * another attempt, 409 `stale_fencing_token`, `unknown_fencing_token` or `run_terminal`.
 */
export async function reportRun(ctx: CallbackContext, caller: AuthenticatedCaller, id: string, report: ReportRun) {
  return mutate(ctx, caller, async (trx, audit) => {
    const own = await attemptOf(trx, caller, id);
    const locked = await lockRun(trx, caller.organization.id, id);
    if (locked === undefined) throw notFound('run', id);
    const { run } = locked;
    const verdict = judge(run, report);
    if (verdict.kind === 'refused') throw refusal(verdict.code, run, report);
    // After the verdict: the holder of an old token learns that it is stale, whatever numbers it sends.
    if (own !== undefined && own.fencing_token !== run.fencing_token)
      throw new AppError(
        'forbidden',
        `This callback token belongs to attempt ${own.attempt_no} and cannot report attempt ${report.attempt_no}.`,
      );
    const moved = await apply(ctx, trx, locked, { verdict, report, by: caller.principal });
    if (moved.status !== run.status) {
      const changes = { status: report.status, attempt_no: report.attempt_no };
      audit({ action: 'run.report', resource: resourceOf(run), changes, data: dataOf(run) });
    }
    return {
      run_id: run.id,
      status: moved.status,
      attempt_no: report.attempt_no,
      accepted: true,
      duplicate: verdict.kind === 'duplicate',
      next_attempt_at: moved.next_attempt_at,
    };
  });
}

/** Returns the attempt that the caller's callback token belongs to; undefined for a key. Throws 403 for another run's. */
async function attemptOf(trx: Transaction<DB>, { credential }: AuthenticatedCaller, runId: string) {
  if (credential.kind !== 'callback_token') return undefined;
  const attempt = await readTokenAttempt(trx, credential.id);
  if (attempt?.run_id !== runId)
    throw new AppError(
      'forbidden',
      'This callback token belongs to another run. Send the token from the claim of this run.',
    );
  return attempt;
}

interface Heard {
  verdict: Exclude<Verdict, { kind: 'refused' }>;
  report: ReportRun;
  by: { type: string; id: string };
}

async function apply(
  ctx: CallbackContext,
  trx: Transaction<DB>,
  locked: LockedRun,
  { verdict, report, by }: Heard,
): Promise<RunRow> {
  const { run } = locked;
  const now = ctx.clock.now();
  const { summary, error_class: errorClass, error_message: errorMessage, latency_ms: latencyMs } = report;
  switch (verdict.kind) {
    case 'duplicate':
      return run;
    case 'renew': {
      const lease_expires_at = run.lease_expires_at === null ? null : new Date(now.getTime() + leaseMs);
      const change = { lease_expires_at, ...(summary === undefined ? {} : { summary }) };
      return moveRun(ctx, trx, locked, { event: 'renew', by, now, change });
    }
    case 'end':
      return endAttempt(ctx, trx, locked, {
        outcome: verdict.outcome,
        by,
        now,
        summary,
        errorClass,
        errorMessage,
        latencyMs,
      });
    case 'correct': {
      return correctAttempt(ctx, trx, locked, { by, now, summary, latencyMs });
    }
  }
}

function refusal(
  code: Extract<Verdict, { kind: 'refused' }>['code'],
  run: RunRow,
  { fencing_token: token, attempt_no: attemptNo, status }: ReportRun,
): AppError {
  switch (code) {
    case 'stale_fencing_token':
      return new AppError(
        code,
        `Fencing token ${token} of attempt ${attemptNo} is no longer valid: a newer attempt has the run. Stop this attempt.`,
      );
    case 'unknown_fencing_token':
      return new AppError(
        code,
        `Fencing token ${token} was never issued for attempt ${attemptNo} of the run ${run.id}.`,
      );
    case 'run_terminal':
      return new AppError(
        code,
        `Attempt ${attemptNo} of the run ${run.id} has already ended as ${run.outcome}, so it cannot become ${status}. Stop it.`,
      );
  }
}
