import type { Transaction } from 'kysely';
import type { Actor } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import type { DB } from '../../../db/types.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { fieldError } from '../../../lib/field-error.ts';
import type { PageQuery } from '../../../lib/paging.ts';
import { mayRun } from '../../auth/actors.ts';
import { childBudget } from '../run/budget.ts';
import type { GivenIds } from './context-service.ts';
import { allocateChildBudget, lockParent, readTreePosition, countDescendants } from '../store/child-store.ts';
import { readAttachmentIds } from '../store/message-store.ts';
import { appendEvents } from '../store/log-store.ts';
import { listSessions } from './list-service.ts';
import { requireSession, type SessionContext } from './service.ts';
import type { Budget, CreateSession } from '../schemas/session-schemas.ts';
import type { SessionRow } from '../store/session-store.ts';

/** The maximum depth of a session tree below its root, and the maximum number of its child sessions. */
const maxDepth = 3;
const maxTreeSize = 64;

/** Lists the children of a session, newest first, as JSON text. */
export async function listChildren(ctx: SessionContext, caller: Actor, id: string, { first, after }: PageQuery) {
  await requireSession(ctx, caller.organization.id, id);
  return listSessions(ctx, caller, {
    parent_session_id: id,
    archived: 'any',
    ...(first === undefined ? {} : { first }),
    ...(after === undefined ? {} : { after }),
  });
}

/** Returns the session that starts a child; undefined for other principals. */
export async function parentOf(ctx: Pick<Context, 'db'>, caller: Actor): Promise<SessionRow | undefined> {
  if (caller.principal.type !== 'session') return undefined;
  return requireSession(ctx, caller.organization.id, caller.principal.id);
}

const modes = ['ask', 'plan', 'build'] as const;
const deliveries = ['none', 'branch', 'draft', 'change_request'] as const;
const lists = ['knowledge_ids', 'skill_ids', 'mcp_server_ids'] as const;

/** The part of the parent's context that a child may get, besides skills stored in repositories. */
interface Inherited {
  /** The allowed skills, for a child that gets all skills that apply. */
  skills_within?: readonly string[];
}

/**
 * Caps a child's mode, delivery and context at its parent's, so that it cannot be used to escalate. The limit of the
 * context is what the parent requested, or else what it was `given`. Throws 403 `forbidden`.
 */
export function withinParent<T extends CreateSession>(parent: SessionRow, given: GivenIds, input: T): T & Inherited {
  const chosen = lists.flatMap((name) => {
    const named: unknown = parent.options[name];
    const allowed = Array.isArray(named) ? named.map(String) : given[name];
    // A repository's own skills come with the repository, and their ids cannot be requested.
    if (name === 'skill_ids' && !Array.isArray(named) && !Array.isArray(input[name]))
      return [['skills_within', allowed]];
    const wanted = input[name] ?? allowed;
    const missing = wanted.find((id) => !allowed.includes(id));
    if (missing !== undefined)
      throw fieldError(`/${name}`, `: this session does not have ${missing}, so its children cannot have it either.`, {
        code: 'forbidden',
      });
    return [[name, wanted]];
  });
  const mode = atMost(modes, 'mode', parent.mode, input.mode);
  const asksFirst = parent.options['require_plan_approval'] === true;
  // An approved plan is carried out, which a read-only session must not do.
  if (input.require_plan_approval === true && parent.mode !== 'build' && !asksFirst)
    throw fieldError('/require_plan_approval', ': this session is read-only, and so are its children.', {
      code: 'forbidden',
    });
  if (input.memory_enabled === true && !parent.memory_enabled)
    throw fieldError('/memory_enabled', ': this session has no memory, so its children cannot have it either.', {
      code: 'forbidden',
    });
  return {
    ...input,
    ...Object.fromEntries(chosen),
    // The agent may be another one: it is only instructions and a runtime. The model determines the cost.
    agent_id: input.agent_id || parent.agent_id,
    model: input.model || parent.model,
    memory_enabled: input.memory_enabled ?? parent.memory_enabled,
    mode,
    deliver: atMost(deliveries, 'deliver', parent.deliver, input.deliver),
    require_plan_approval: (asksFirst && mode !== 'ask') || (input.require_plan_approval ?? false),
  };
}

function atMost<T extends string>(order: readonly T[], name: string, most: T, wanted: T | undefined): T {
  if (wanted === undefined) return most;
  if (order.indexOf(wanted) <= order.indexOf(most)) return wanted;
  throw fieldError(`/${name}`, `: a child of a session with ${most} cannot have ${wanted}.`, { code: 'forbidden' });
}

/**
 * Limits a child to its parent's repositories (404 `repository_not_found`), and to the change requests that its parent continues
 * (403 `forbidden`): a session pushes to no other branch that exists, and neither do its children.
 */
export function requireParents(
  parent: SessionRow,
  { id, repo }: { id: string; repo: string },
  { index, change_request: number }: { index: number; change_request: number | undefined },
): void {
  const own = parent.repositories.find(({ repository_id }) => repository_id === id);
  if (own === undefined) throw notFound('repository', repo);
  if (number !== undefined && own.change_request !== number)
    throw fieldError(
      `/repositories/${index}/change_request`,
      `: this session does not continue change request ${number}, so its children cannot either.`,
      { code: 'forbidden' },
    );
}

/** Limits a child to its parent's model, or none, regardless of its agent's or the default (403 `forbidden`). */
export function requireParentsModel(parent: SessionRow, model: string): void {
  if (model === '' || model === parent.model) return;
  const own = parent.model === '' ? 'without a model' : `with ${parent.model}`;
  throw fieldError('/model', `: a child of a session ${own} cannot have ${model}.`, { code: 'forbidden' });
}

/** Limits a child to attachments that its parent was given (404 `attachment_not_found`). */
export async function requireParentsFiles(
  ctx: Pick<Context, 'db'>,
  parent: SessionRow,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const given = await readAttachmentIds(ctx.db.kysely, parent.id);
  const foreign = ids.find((id) => !given.includes(id));
  if (foreign !== undefined) throw notFound('attachment', foreign);
}

/**
 * Adds a child to its parent's tree and log, and returns its budget, which is deducted from the parent's. Throws 402
 * `budget_exceeded`, 403 `forbidden` if its creator may not start sessions any more, and 409 `conflict` at a limit
 * of the tree.
 */
export async function addChild(
  trx: Transaction<DB>,
  parent: SessionRow,
  wanted: Budget,
  childId: string,
): Promise<Budget> {
  // A family is on the account of who began it. Automations of the organization have nobody.
  const { created_by_type: type, created_by_id: id } = parent;
  if (type !== 'system' && !(await mayRun(trx, parent.org_id, { type, id })))
    throw new AppError(
      'forbidden',
      'The creator of this session may not start sessions any more, so it gets no further child sessions.',
    );
  const { depth, rootId } = await readTreePosition(trx, parent.id);
  if (depth >= maxDepth)
    throw new AppError('conflict', `Limit reached: child sessions can be nested at most ${maxDepth} levels deep.`);
  // Additions to a tree are serialized at its root.
  const root = await lockParent(trx, rootId);
  const own = rootId === parent.id ? root : await lockParent(trx, parent.id);
  if (root === undefined || own === undefined) throw notFound('session', parent.id);
  if ((await countDescendants(trx, rootId)) >= maxTreeSize)
    throw new AppError('conflict', `Limit reached: a session tree can have at most ${maxTreeSize} child sessions.`);
  const budget = childBudget(own, wanted);
  await allocateChildBudget(trx, parent.id, budget);
  await appendEvents(trx, parent.id, null, [{ kind: 'child', data: { session_id: childId, status: 'queued' } }]);
  return budget;
}
