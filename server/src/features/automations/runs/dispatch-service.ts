import type { Transaction } from 'kysely';
import { withoutRequest, type Actor, type Caller } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import type { DB } from '../../../db/types.ts';
import { AppError } from '../../../lib/errors.ts';
import { scopeSet } from '../../../lib/scopes.ts';
import { getMember } from '../../members/service.ts';
import { createSession } from '../../sessions/api/create-service.ts';
import { renderPrompt } from '../prompt.ts';
import { readAutomation, type AutomationRow } from '../store.ts';
import { endAttempt } from './end-attempt.ts';
import { bySystem, moveRun } from './move.ts';
import { isHeldBack, lockRun, readOrganization, type RunRow } from './store.ts';

export type DispatchContext = Pick<
  Context,
  'db' | 'clock' | 'jobs' | 'config' | 'keyRing' | 'runtimes' | 'baseUrl' | 'log'
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
    const actor = await actorOf(ctx, automation);
    const caller = starting(actor, (trx, sessionId) => start(ctx, trx, run, sessionId));
    await createSession(ctx, caller, sessionOf(automation, run));
  } catch (error) {
    if (error instanceof NotStartable) return;
    if (!(error instanceof AppError)) throw error;
    await refuse(ctx, run, error);
  }
}

/** Returns a caller whose mutation also starts the run. */
function starting(actor: Actor, begin: (trx: Transaction<DB>, sessionId: string) => Promise<void>): Caller {
  const complete = async (trx: Transaction<DB>, answer: unknown): Promise<void> => {
    const session: unknown = typeof answer === 'string' ? JSON.parse(answer) : answer;
    await begin(trx, String(Reflect.get(Object(session), 'id')));
  };
  return { ...withoutRequest(actor), request: { id: '', ip: '', userAgent: '', complete } };
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
    repositories: repositories.map(({ provider, repo, ref }) => ({
      repo,
      ...(provider === '' ? {} : { provider }),
      ...(ref === '' ? {} : { ref }),
    })),
    ...(agent_id === '' ? {} : { agent_id }),
    tags,
    budget,
    ...(Object.keys(schema).length === 0 ? {} : { structured_output_schema: schema }),
    ...(deliver === '' ? {} : { deliver }),
  };
}

/** Returns the task of a run, with its payload as data. */
export function promptOf(automation: AutomationRow, run: RunRow): string {
  const { name, action } = automation;
  const occasion = { trigger: run.trigger, scheduledFor: run.scheduled_at, payload: run.payload };
  return renderPrompt({ name, template: action.prompt_template }, occasion);
}

/** Returns the principal that an automation acts for. Throws 404 if its creator is no longer a member. */
async function actorOf(ctx: DispatchContext, automation: AutomationRow): Promise<Actor> {
  const { org_id: orgId, id, name, run_as, created_by_type: type, created_by_id: creatorId } = automation;
  const organization = await readOrganization(ctx.db.kysely, orgId);
  if (organization === undefined) throw new Error(`The organization ${orgId} disappeared.`);
  const platform: Actor = {
    organization,
    principal: { type: 'system', id, name, email: '' },
    scopes: scopeSet('member'),
    permission: '',
    role: '',
  };
  if (run_as === 'organization' || type !== 'user') return platform;
  const { name: userName, email, permission, role } = await getMember(ctx, platform, creatorId);
  return {
    organization,
    principal: { type: 'user', id: creatorId, name: userName, email },
    scopes: scopeSet(permission),
    permission,
    role,
  };
}
