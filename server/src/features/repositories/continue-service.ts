import type { Transaction } from 'kysely';
import type { Actor } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { publish } from '../../outbox/publish.ts';
import { hostTurns } from './at-host.ts';
import { lockChangeRequest, openOnBranches, readChangeRequest, type ChangeRequestRow } from './change-request-store.ts';
import { addContinuing, readOwner } from './continue-store.ts';
import { changeRequestNews, refOf } from './open-change-request.ts';
import type { RepositoryRow } from './service.ts';
import { recordSaid } from './settle-service.ts';
import { recordForeign, type StoredContext } from './stored-service.ts';

/**
 * Returns an open change request that a session can continue, as its host describes it now. Throws 404
 * `change_request_not_found`, 409 `change_request_closed`, and `conflict` if its branch is in a fork or is the default one.
 */
export async function requireContinuable(
  ctx: StoredContext,
  { id: orgId, slug }: Actor['organization'],
  repository: RepositoryRow,
  number: number,
): Promise<ChangeRequestRow> {
  const source = ctx.sourceControl.of(repository.provider);
  const said = await hostTurns.run(orgId, () => source.changeRequest(refOf(orgId, repository), number));
  if (said === undefined) throw notFound('change_request', String(number));
  if (said.state !== 'open') throw closed(number, said.state);
  if (said.isFromFork)
    throw new AppError(
      'conflict',
      `Change request ${number} comes from a fork of ${repository.repo}, to which a session cannot push.`,
    );
  if (said.headRef === repository.default_branch)
    throw new AppError(
      'conflict',
      `The branch of change request ${number} is ${said.headRef}, the default branch, to which a session does not push.`,
    );
  const row = await readChangeRequest(ctx.db.kysely, orgId, repository.id, number);
  if (row === undefined) {
    await refuseTwin(ctx, orgId, repository, said);
    return recordForeign(ctx, orgId, repository, said);
  }
  const target = { orgId, slug, repository, row, by: { type: 'system', id: '' } };
  return (await ctx.db.transaction((trx) => recordSaid(ctx, trx, target, said))).row;
}

/** A fork may have a branch of the same name. */
async function refuseTwin(
  ctx: Pick<Context, 'db'>,
  orgId: string,
  repository: RepositoryRow,
  { number, headRef }: { number: number; headRef: string },
): Promise<void> {
  const [twin] = await openOnBranches(ctx.db.kysely, orgId, repository.id, [headRef]);
  if (twin !== undefined)
    throw new AppError('conflict', `Change requests ${number} and ${twin.number} have branches of the same name.`);
}

/**
 * Records that a new session continues a change request, and returns the event for its log. Throws 409 `change_request_closed`,
 * and `conflict` if another session follows it.
 */
export async function continueBy(
  ctx: Pick<Context, 'baseUrl'>,
  trx: Transaction<DB>,
  { organization, principal }: Actor,
  { repository_id: repositoryId, number }: Pick<ChangeRequestRow, 'repository_id' | 'number'>,
  sessionId: string,
) {
  const row = await lockChangeRequest(trx, organization.id, repositoryId, number);
  if (row === undefined) throw notFound('change_request', String(number));
  if (row.state !== 'open') throw closed(number, row.state);
  const owner = await readOwner(trx, row.id);
  if (owner !== '')
    throw new AppError(
      'conflict',
      `The session ${owner} follows change request ${number}. Send it a message, or end the following first.`,
    );
  await addContinuing(trx, row.id, sessionId);
  await publish(trx, {
    orgId: organization.id,
    type: 'change_request.continued',
    resource: { type: 'change_request', id: row.id },
    actor: { type: principal.type, id: principal.id },
    data: { session_id: sessionId },
  });
  return changeRequestNews(ctx, organization.slug, row, row);
}

function closed(number: number, state: string): AppError {
  return new AppError('change_request_closed', `Change request ${number} is ${state}.`);
}
