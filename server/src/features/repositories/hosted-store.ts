import { sql, type Kysely, type Transaction } from 'kysely';
import type {
  EndedAs,
  HostedChangeRequest,
  HostedChangeRequests,
} from '../../adapters/source-control/hosted-change-requests.ts';
import type { NewChangeRequest, RepositoryRef } from '../../adapters/source-control/port.ts';
import type { Database } from '../../db/pool.ts';
import type { DB } from '../../db/types.ts';
import type { Clock } from '../../lib/clock.ts';
import { notFound } from '../../lib/errors.ts';
import { lockRepository, takeNumber } from './store.ts';

const shown = [
  'number',
  'title',
  'body',
  'state',
  'draft',
  'head_ref as headRef',
  'head_sha as headSha',
  'base_ref as baseRef',
  'merge_commit as mergeCommit',
  'merged_at as mergedAt',
  'updated_at as updatedAt',
] as const;

interface HostedContext {
  db: Pick<Database, 'kysely' | 'transaction'>;
  clock: Clock;
}

/** The change requests of the built-in host, in its own table. */
export function createHostedChangeRequests(ctx: HostedContext): HostedChangeRequests {
  return {
    open: (repository, input) => open(ctx, repository, input),
    read: (repository, number) => read(ctx.db.kysely, repository, number),
    update: ({ orgId, id }, number, content) =>
      ctx.db.kysely
        .updateTable('hosted_change_requests')
        .set({ ...content, updated_at: after(ctx.clock.now()) })
        .where('org_id', '=', orgId)
        .where('repository_id', '=', id)
        .where('number', '=', number)
        .where('state', '=', 'open')
        .returning(shown)
        .executeTakeFirst(),
    end: (repository, number, as) => end(ctx, repository, number, as),
  };
}

async function open({ db, clock }: HostedContext, repository: RepositoryRef, input: NewChangeRequest) {
  const { id, orgId } = repository;
  const { title, body, draft, headRef, headSha, baseRef } = input;
  return db.transaction(async (trx) => {
    // Locked first, so that two concurrent requests for one head cannot both find none.
    if (!(await lockRepository(trx, orgId, id))) throw notFound('repository', id);
    const known = await query(trx, repository)
      .select(shown)
      .where('head_ref', '=', headRef)
      .where('state', '=', 'open')
      .executeTakeFirst();
    if (known !== undefined) return { changeRequest: known, created: false };
    const now = clock.now();
    const place = { org_id: orgId, repository_id: id, number: await takeNumber(trx, id) };
    const refs = { head_ref: headRef, head_sha: headSha, base_ref: baseRef };
    const changeRequest = await trx
      .insertInto('hosted_change_requests')
      .values({ ...place, ...refs, title, body, draft, created_at: now, updated_at: now })
      .returning(shown)
      .executeTakeFirstOrThrow();
    return { changeRequest, created: true };
  });
}

async function end({ db, clock }: HostedContext, repository: RepositoryRef, number: number, as: EndedAs) {
  const now = clock.now();
  const merged = as.state === 'merged' ? { merge_commit: as.mergeCommit, merged_at: now } : {};
  const ended = await db.kysely
    .updateTable('hosted_change_requests')
    .set({ state: as.state, head_sha: as.headSha, updated_at: after(now), ...merged })
    .where('org_id', '=', repository.orgId)
    .where('repository_id', '=', repository.id)
    .where('number', '=', number)
    // The branch decides: its content is merged, even if someone closed the change request in the meantime.
    .where('state', 'in', as.state === 'merged' ? ['open', 'closed'] : ['open'])
    .returning(shown)
    .executeTakeFirst();
  return ended ?? read(db.kysely, repository, number);
}

/** Returns a time after the stored one, because the clocks of processes differ and later changes must show as later. */
function after(now: Date) {
  return sql<Date>`greatest(updated_at + interval '1 millisecond', ${now}::timestamptz)`;
}

function query(db: Kysely<DB> | Transaction<DB>, { orgId, id }: RepositoryRef) {
  return db.selectFrom('hosted_change_requests').where('org_id', '=', orgId).where('repository_id', '=', id);
}

async function read(
  db: Kysely<DB>,
  repository: RepositoryRef,
  number: number,
): Promise<HostedChangeRequest | undefined> {
  return query(db, repository).select(shown).where('number', '=', number).executeTakeFirst();
}
