import type { Transaction } from 'kysely';
import type { Context } from '../../../app/context.ts';
import type { DB } from '../../../db/types.ts';
import { AppError } from '../../../lib/errors.ts';
import { createSession } from '../../sessions/api/create-service.ts';
import { callerOf } from '../actor.ts';
import { renderPrompt } from '../prompt.ts';
import { readAutomation, type AutomationRow } from '../store.ts';
import { endAttempt } from './end-attempt.ts';
import { bySystem, moveRun } from './move.ts';
import { lockRun, type RunRow } from './store.ts';
import { isHeldBack } from './turn-store.ts';

export type DispatchContext = Pick<
  Context,
  'db' | 'clock' | 'jobs' | 'config' | 'keyRing' | 'runtimes' | 'baseUrl' | 'log' | 'sourceControl'
>;

/** The run may no longer start; its session is not created. */
class NotStartable extends Error {}

/**
 * Creates the session of a pending run. The run starts in the same transaction, so it never has two sessions. A session
 * that cannot be created fails the attempt.
 */
export async function dispatchRun(ctx: DispatchContext, run: RunRow): Promise<void> {
  const automation = await readAutomation(ctx.db.kysely, run.org_id, run.automation_id);
  if (automation === undefined) return;
  try {
    const caller = await callerOf(ctx, automation);
    await createSession(ctx, caller, sessionOf(automation, run), (trx, sessionId) => start(ctx, trx, run, sessionId));
  } catch (error) {
    if (error instanceof NotStartable) return;
    // The job is tried again where the platform had no capacity.
    if (!(error instanceof AppError) || error.code === 'capacity_unavailable') throw error;
    await refuse(ctx, run, error);
  }
}

async function start(ctx: DispatchContext, trx: Transaction<DB>, expected: RunRow, sessionId: string): Promise<void> {
  const locked = await lockRun(trx, expected.org_id, expected.id);
  if (locked === undefined || !isSameAttempt(locked.run, expected) || (await isHeldBack(trx, locked.run)))
    throw new NotStartable();
  const change = { session_id: sessionId };
  await moveRun(ctx, trx, locked, { event: 'start', by: bySystem, now: ctx.clock.now(), change });
}

function isSameAttempt(run: RunRow, expected: RunRow): boolean {
  return run.status === 'pending' && run.attempt_no === expected.attempt_no;
}

async function refuse(ctx: DispatchContext, expected: RunRow, { code, message }: AppError): Promise<void> {
  await ctx.db.transaction(async (trx) => {
    const locked = await lockRun(trx, expected.org_id, expected.id);
    if (locked === undefined || !isSameAttempt(locked.run, expected)) return;
    const end = { outcome: 'failed', by: bySystem, now: ctx.clock.now() } as const;
    await endAttempt(ctx, trx, locked, { ...end, errorClass: code, errorMessage: message, latencyMs: 0 });
  });
}

/** Returns the session that an automation's run asks for. */
function sessionOf(automation: AutomationRow, run: RunRow) {
  const { repositories, agent_id, tags, budget, structured_output_schema: schema, deliver } = automation.action;
  return {
    prompt: promptOf(automation, run),
    title: automation.name,
    origin: 'automation' as const,
    automation_id: automation.id,
    automation_run_id: run.id,
    repositories: repositories.map(({ provider, repo, ref }) => ({
      repo,
      ...(provider === '' ? {} : { provider }),
      ...(ref === '' ? {} : { ref }),
    })),
    ...(agent_id === '' ? {} : { agent_id }),
    tags,
    budget,
    ...(Object.keys(schema).length === 0 ? {} : { structured_output_schema: schema }),
    // One that was stored before it was refused without a repository.
    ...(deliver === '' || repositories.length === 0 ? {} : { deliver }),
  };
}

/** Returns the task of a run, with its payload as data. */
export function promptOf(automation: AutomationRow, run: RunRow): string {
  const { name, action } = automation;
  const occasion = { trigger: run.trigger, scheduledFor: run.scheduled_at, payload: run.payload };
  return renderPrompt({ name, template: action.prompt_template }, occasion);
}
