import type { Transaction } from 'kysely';
import type { Actor } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import type { DB } from '../../../db/types.ts';
import { fieldError } from '../../../lib/field-error.ts';
import { continueBy, requireContinuable } from '../../repositories/continue-service.ts';
import { repositoryByName } from '../../repositories/service.ts';
import type { NewEvent } from '../schemas/event-schemas.ts';
import type { CreateSession, StoredRepository } from '../schemas/session-schemas.ts';
import type { SessionRow } from '../store/session-store.ts';
import { requireParents } from './child-service.ts';
import type { SessionContext } from './service.ts';

type ChoiceContext = SessionContext & Pick<Context, 'sourceControl' | 'log'>;

/**
 * Finds the repositories of a new session, and the change requests that it continues; for a child, among those of its parent.
 * Throws 400 `invalid_request`, 403 `forbidden`, 404 `repository_not_found`, `change_request_not_found`, 409
 * `change_request_closed`, `conflict`.
 */
export async function chooseRepositories(
  ctx: ChoiceContext,
  { organization }: Actor,
  input: CreateSession,
  parent?: SessionRow,
): Promise<StoredRepository[]> {
  const chosen: StoredRepository[] = [];
  for (const [index, wanted] of (input.repositories ?? []).entries()) {
    const row = await repositoryByName(ctx, organization.id, wanted, `/repositories/${index}/provider`);
    if (chosen.some(({ repository_id }) => repository_id === row.id))
      throw fieldError('/repositories', `contains ${row.repo} twice.`);
    const { provider, repo, id, default_branch } = row;
    const common = { provider, repo, base_commit: '', repository_id: id };
    const { change_request: number, ref } = wanted;
    if (parent !== undefined) requireParents(parent, row, { index, change_request: number });
    if (number === undefined) {
      chosen.push({ ...common, base_ref: ref ?? default_branch, branch: '' });
      continue;
    }
    if (ref !== undefined)
      throw fieldError(`/repositories/${index}/ref`, 'excludes change_request, whose branch the session works on.');
    const { head_ref, base_ref } = await requireContinuable(ctx, organization, row, number);
    chosen.push({ ...common, base_ref, branch: head_ref, change_request: number });
  }
  if (
    input.deliver === 'draft' &&
    chosen.length > 0 &&
    chosen.every(({ change_request: number }) => number !== undefined)
  )
    throw fieldError(
      '/deliver',
      'must not be draft: a session that continues a change request leaves its draft state.',
    );
  return chosen;
}

/** Throws 400 for a delivery without a repository that it could come from. */
export function requireSource({
  repositories = [],
  deliver = 'none',
}: Pick<CreateSession, 'deliver'> & { readonly repositories?: readonly object[] | undefined }): void {
  if (deliver === 'none' || repositories.length > 0) return;
  throw fieldError(
    '/deliver',
    `must not be ${deliver}: the session has no repository, so it delivers nothing. Name one in repositories, or omit deliver.`,
  );
}

/**
 * Records the change requests that a new session continues, and returns the events for its log. A session that pushes nothing
 * continues none.
 */
export async function continueChangeRequests(
  ctx: SessionContext,
  trx: Transaction<DB>,
  actor: Actor,
  { mode = 'build', deliver, require_plan_approval }: CreateSession,
  repositories: readonly StoredRepository[],
  sessionId: string,
): Promise<NewEvent[]> {
  const isReading = mode !== 'build' && require_plan_approval !== true;
  if (deliver === 'none' || isReading) return [];
  const events: NewEvent[] = [];
  for (const { repository_id, change_request: number } of repositories) {
    if (number === undefined) continue;
    const data = await continueBy(ctx, trx, actor, { repository_id, number }, sessionId);
    events.push({ kind: 'change_request', data });
  }
  return events;
}
