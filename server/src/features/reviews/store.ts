import { sql, type Insertable, type Kysely, type Transaction, type Updateable } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import { principal } from '../../db/principal.ts';
import type { DB } from '../../db/types.ts';
import type { Provider } from '../../lib/providers.ts';
import type { ReviewStatus } from './schemas.ts';

const shown = [
  'reviews.id',
  'reviews.repository_id',
  sql<Provider>`(select provider from repositories r where r.id = repository_id)`.as('provider'),
  sql<string>`(select repo from repositories r where r.id = repository_id)`.as('repo'),
  'number',
  'base_sha',
  'head_sha',
  'status',
  'verdict',
  'summary',
  'problem',
  'posting',
  'posting_problem',
  sql<number>`(select count(*) from review_findings f where f.review_id = reviews.id)`.as('findings_count'),
  'session_id',
  'agent_id',
  'proof_session_id',
  'instructions',
  'trigger',
  principal('reviews.created_by').as('created_by'),
  'created_at',
  'completed_at',
] as const;

export interface ReviewFilter {
  statuses?: ReviewStatus[];
  repositoryIds?: string[];
  number?: number | undefined;
}

/** Selects reviews of existing repositories. */
export function reviewsQuery(db: Kysely<DB>, orgId: string, filter: ReviewFilter = {}) {
  const { statuses = [], repositoryIds = [], number } = filter;
  return db
    .selectFrom('reviews')
    .where('reviews.org_id', '=', orgId)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('repositories')
          .select('repositories.id')
          .whereRef('repositories.id', '=', 'reviews.repository_id')
          .where('repositories.deleted_at', 'is', null),
      ),
    )
    .$if(statuses.length > 0, (q) => q.where('status', 'in', statuses))
    .$if(repositoryIds.length > 0, (q) => q.where('repository_id', 'in', repositoryIds))
    .$if(number !== undefined, (q) => q.where('number', '=', number ?? 0));
}

export async function listReviewRows(query: ReturnType<typeof reviewsQuery>, after: string | undefined, limit: number) {
  return newestFirst(query.select(shown), after, limit).execute();
}

export async function readReview(db: Kysely<DB>, orgId: string, id: string) {
  return reviewsQuery(db, orgId).select(shown).where('reviews.id', '=', id).executeTakeFirst();
}

/** Returns the review of a commit, unless a newer one replaced it. */
export async function readReviewOf(
  db: Kysely<DB>,
  orgId: string,
  { repositoryId, number, headSha }: { repositoryId: string; number: number; headSha: string },
) {
  return reviewsQuery(db, orgId, { repositoryIds: [repositoryId], number })
    .select(shown)
    .where('head_sha', '=', headSha)
    .where('status', '!=', 'superseded')
    .executeTakeFirst();
}

export type ReviewRow = NonNullable<Awaited<ReturnType<typeof lockReview>>>;

/** Returns a review of any organization. */
export async function readAnyReview(db: Kysely<DB>, id: string) {
  return db.selectFrom('reviews').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns a review of any organization and locks it until the transaction ends. */
export async function lockReview(trx: Transaction<DB>, id: string) {
  return trx.selectFrom('reviews').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Returns false if the commit has a review. */
export async function insertReview(trx: Transaction<DB>, row: Insertable<DB['reviews']>): Promise<boolean> {
  const inserted = await trx
    .insertInto('reviews')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

export async function updateReview(
  trx: Transaction<DB>,
  id: string,
  change: Updateable<DB['reviews']> & { updated_at: Date },
): Promise<void> {
  await trx.updateTable('reviews').set(change).where('id', '=', id).execute();
}

/** Returns the reviews that these sessions carry out. */
export async function listReviewsOfSessions(trx: Transaction<DB>, sessionIds: readonly string[]) {
  if (sessionIds.length === 0) return [];
  return trx
    .selectFrom('reviews')
    .select('id')
    .where((eb) => eb.or([eb('session_id', 'in', sessionIds), eb('proof_session_id', 'in', sessionIds)]))
    .execute();
}

/** Returns the reviews that have not ended, or are not posted yet, and did not change since an instant. */
export async function listResting(db: Kysely<DB>, before: Date, limit: number) {
  return db
    .selectFrom('reviews')
    .select('id')
    .where((eb) => eb.or([eb('status', 'in', ['queued', 'running']), eb('posting', '=', 'pending')]))
    .where('updated_at', '<', before)
    .orderBy('updated_at')
    .limit(limit)
    .execute();
}

/** Returns the reviews of a change request that have not ended, and locks them until the transaction ends. */
export async function listUnfinished(trx: Transaction<DB>, changeRequestId: string) {
  return trx
    .selectFrom('reviews')
    .select(['id', 'head_sha', 'status'])
    .where('change_request_id', '=', changeRequestId)
    .where('status', 'in', ['queued', 'running'])
    .orderBy('id')
    .forUpdate()
    .execute();
}

/** Returns true if a change request had any review. */
export async function hasReview(trx: Transaction<DB>, changeRequestId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('reviews')
    .select('id')
    .where('change_request_id', '=', changeRequestId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the completed reviews of a change request, newest first. */
export async function listCompleted(trx: Transaction<DB>, changeRequestId: string) {
  return trx
    .selectFrom('reviews')
    .select(['id', 'comment_id'])
    .where('change_request_id', '=', changeRequestId)
    .where('status', '=', 'completed')
    .orderBy('id', 'desc')
    .limit(1_000)
    .execute();
}

/** Returns the session that carries out a review, and the runtime of its agent. */
export async function readReviewSession(db: Kysely<DB>, orgId: string, sessionId: string) {
  return db
    .selectFrom('sessions')
    .innerJoin('agent_versions as v', (join) =>
      join.onRef('v.agent_id', '=', 'sessions.agent_id').onRef('v.version', '=', 'sessions.agent_version'),
    )
    .select(['id', 'status', 'structured_output', 'v.runtime'])
    .where('org_id', '=', orgId)
    .where('id', '=', sessionId)
    .executeTakeFirst();
}

/** Keeps others from creating or updating the organization's linters until the transaction ends. */
export async function lockLinters(trx: Transaction<DB>, orgId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`linters ${orgId}`}, 0))`.execute(trx);
}
