import { agentDriver } from '../../../adapters/agent/drivers.ts';
import type { Actor, Caller } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import { countRows } from '../../../db/count.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { fieldError } from '../../../lib/field-error.ts';
import { isBlank } from '../../../lib/one-line.ts';
import { paginate, type PageQuery } from '../../../lib/paging.ts';
import { agentVersion } from '../../agents/service.ts';
import { mutate } from '../../../mutation/mutate.ts';
import { requireSteering } from '../../secrets/public.ts';
import type { DecideApproval } from '../schemas/approval-schemas.ts';
import { approvalEvent, awaitPerson } from '../run/approval-state-service.ts';
import { approvalsQuery, listApprovalRows, readApproval, updateApproval } from '../store/approval-store.ts';
import { continueSession, addMessage } from './message-service.ts';
import { appendEvents } from '../store/log-store.ts';
import { requireSession, type SessionContext } from './service.ts';
import { lockSession } from '../store/session-store.ts';

type ApprovalRow = Awaited<ReturnType<typeof updateApproval>>;

/** Lists approvals, newest first. */
export async function listApprovals(ctx: SessionContext, caller: Actor, sessionId: string, query: PageQuery) {
  const orgId = caller.organization.id;
  await requireSession(ctx, orgId, sessionId);
  const rows = approvalsQuery(ctx.db.kysely, orgId, sessionId);
  const page = await paginate({
    list: 'session_approvals',
    filters: { sessionId },
    query,
    rows: (after, limit) => listApprovalRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
  return { ...page, items: page.items.map(toApiShape) };
}

/**
 * Decides an approval: if approved, the session continues; if denied with a note, it plans again; if denied without
 * one, it waits for a message. Throws 400 `invalid_request`, 402 `budget_exceeded`, 403 `forbidden`, 404
 * `approval_not_found`, 409 `already_decided`.
 */
export async function decideApproval(
  ctx: SessionContext & Pick<Context, 'config'>,
  caller: Caller,
  { sessionId, id }: { sessionId: string; id: string },
  input: DecideApproval,
) {
  const orgId = caller.organization.id;
  const isScript = await runsSteps(ctx, orgId, sessionId);
  return mutate(ctx, caller, async (trx, audit) => {
    const session = await lockSession(trx, orgId, sessionId);
    if (session === undefined) throw notFound('session', sessionId);
    const asked = await readApproval(trx, orgId, sessionId, id);
    if (asked === undefined) throw notFound('approval', id);
    await requireSteering(trx, orgId, caller.principal, session);
    validateDecision(input, asked.kind, isScript);
    const now = ctx.clock.now();
    requireUndecided(asked, now);
    const { decision, note = '', edited_plan = '' } = input;
    const state = decision === 'approve' ? 'approved' : 'denied';
    await appendEvents(trx, sessionId, null, [approvalEvent(id, asked.kind, state, note)]);
    // A script takes no messages: it runs its steps, or does not.
    const content = isScript ? '' : decisionMessage(input, asked);
    const message =
      content === ''
        ? undefined
        : await addMessage(ctx, trx, caller, session, { content, attachmentIds: [], delivery: 'queue' });
    if (message === undefined && decision === 'approve') await continueSession(ctx, trx, caller, session);
    else if (message === undefined) await awaitPerson(trx, session, caller.principal);
    audit({ action: `approval.${decision}`, resource: { type: 'approval', id }, changes: { session_id: sessionId } });
    const decided = await updateApproval(trx, id, {
      state,
      note,
      edited_plan,
      message_id: message?.id ?? '',
      decided_by_type: caller.principal.type,
      decided_by_id: caller.principal.id,
      decided_at: now,
    });
    return toApiShape(decided);
  });
}

async function runsSteps(ctx: SessionContext, orgId: string, sessionId: string): Promise<boolean> {
  const { agent_id, agent_version } = await requireSession(ctx, orgId, sessionId);
  const agent = await agentVersion(ctx, orgId, agent_id, agent_version);
  return agent !== undefined && agentDriver(agent.runtime).capabilities.declaresWork;
}

function validateDecision({ decision, edited_plan }: DecideApproval, kind: string, isScript: boolean): void {
  if (edited_plan === undefined) return;
  if (kind === 'tool') throw fieldError('/edited_plan', 'requires an approval of the kind "plan".');
  if (decision === 'deny') throw fieldError('/edited_plan', 'requires the decision "approve".');
  if (isBlank(edited_plan)) throw fieldError('/edited_plan', 'must not be blank.');
  if (isScript)
    throw fieldError(
      '/edited_plan',
      ': an agent of the runtime "script" cannot change its steps. Change the agent, and start another session.',
    );
}

function requireUndecided({ state, expires_at }: Pick<ApprovalRow, 'state' | 'expires_at'>, now: Date): void {
  if (state !== 'pending') throw new AppError('already_decided', `This approval is already ${state}.`);
  if (expires_at <= now) throw new AppError('already_decided', `This approval expired at ${expires_at.toISOString()}.`);
}

/** Returns the message to the agent; `''` for none. */
function decisionMessage({ decision, note = '', edited_plan }: DecideApproval, asked: Asked): string {
  const remark = note.trim();
  if (decision === 'deny' && remark === '') return '';
  const verdict = asked.kind === 'tool' ? callVerdict(decision, asked) : planVerdict(decision, asked, edited_plan);
  return [verdict.sentence, remark, verdict.about].filter((part) => part !== '').join('\n\n');
}

type Asked = Pick<ApprovalRow, 'kind' | 'tool' | 'plan'> & { input: unknown };

function planVerdict(decision: DecideApproval['decision'], { plan }: Asked, edited?: string) {
  if (decision === 'deny')
    return { sentence: 'The plan is not approved. Plan again, and submit the new plan.', about: '' };
  const sentence =
    edited === undefined
      ? 'The plan is approved. Carry it out.'
      : 'The plan is approved with changes. Carry out the plan below instead of yours.';
  return { sentence, about: `# The plan\n\n${edited ?? plan}` };
}

function callVerdict(decision: DecideApproval['decision'], { tool, input }: Asked) {
  if (decision === 'deny')
    return { sentence: `The call of the tool "${tool}" is denied. Continue without it.`, about: '' };
  const sentence = `The call of the tool "${tool}" is approved. Call it with the input below.`;
  return { sentence, about: `# The input\n\n${JSON.stringify(input, null, 2)}` };
}

function toApiShape({ tool, input, plan, ...rest }: ApprovalRow) {
  return { ...rest, request: { tool, input, plan } };
}
