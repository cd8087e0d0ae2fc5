import { sql, type Insertable, type Kysely, type Transaction, type Updateable } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import { principal } from '../../db/principal.ts';
import type { DB } from '../../db/types.ts';
import type { Provider } from '../../lib/providers.ts';
import type { CheckSummary, Evidence, FollowSummary, ReviewState } from './change-request-schemas.ts';

const shown = [
  'id',
  'repository_id',
  sql<Provider>`(select provider from repositories r where r.id = repository_id)`.as('provider'),
  sql<string>`(select repo from repositories r where r.id = repository_id)`.as('repo'),
  'number',
  'title',
  'body',
  'state',
  'draft',
  'head_ref',
  'head_sha',
  'base_ref',
  'base_sha',
  principal('change_requests.author').as('author'),
  'session_id',
  'evidence',
  'additions',
  'deletions',
  'changed_files',
  'url',
  sql<CheckSummary>`coalesce((select json_build_object('state', f.checks_state, 'failing', f.failing) from follows f where f.change_request_id = change_requests.id), '{"state":"none","failing":[]}')`.as(
    'checks',
  ),
  sql<ReviewState>`coalesce((select f.review_state from follows f where f.change_request_id = change_requests.id), '')`.as(
    'review_state',
  ),
  sql<FollowSummary>`coalesce((select json_build_object('state', f.state, 'rounds', (f.memory ->> 'rounds')::int) from follows f where f.change_request_id = change_requests.id), '{"state":"off","rounds":0}')`.as(
    'follow',
  ),
  'mergeable',
  'provider_updated_at',
  'created_at',
  'updated_at',
  'merged_at',
] as const;

type ChangeRequestState = 'open' | 'merged' | 'closed';
export type ChangeRequestRow = NonNullable<Awaited<ReturnType<typeof readChangeRequest>>>;

/** A list matches any of its entries; an empty one does not filter, except for `repositoryIds`. */
export interface ChangeRequestFilter {
  repositoryId?: string;
  repositoryIds?: string[];
  sessionId?: string;
  sessionIds?: string[];
  authorIds?: string[];
  states?: ChangeRequestState[];
  /** States of following; `off` for those that are not followed. */
  follow?: string[];
}

/** Selects change requests of existing repositories; those of a deleted one return when it is restored. */
export function changeRequestsQuery(db: Kysely<DB>, orgId: string, filter: ChangeRequestFilter) {
  const { repositoryId, repositoryIds, sessionId, sessionIds = [], authorIds = [], states = [], follow = [] } = filter;
  return db
    .selectFrom('change_requests')
    .where('org_id', '=', orgId)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('repositories')
          .select('repositories.id')
          .whereRef('repositories.id', '=', 'change_requests.repository_id')
          .where('repositories.deleted_at', 'is', null),
      ),
    )
    .$if(repositoryId !== undefined, (q) => q.where('repository_id', '=', repositoryId ?? ''))
    .$if(repositoryIds !== undefined, (q) => q.where('repository_id', '=', sql<string>`any(${repositoryIds})`))
    .$if(sessionIds.length > 0, (q) => q.where(ofSessions(sessionIds)))
    .$if(authorIds.length > 0, (q) => q.where('author_id', 'in', authorIds))
    .$if(sessionId !== undefined, (q) => q.where(ofSessions([sessionId ?? ''])))
    .$if(states.length > 0, (q) => q.where('state', 'in', states))
    .$if(follow.length > 0, (q) =>
      q.where(
        sql<string>`coalesce((select f.state from follows f where f.change_request_id = change_requests.id), 'off')`,
        'in',
        follow,
      ),
    );
}

/** Those that sessions opened or continue. */
function ofSessions(ids: string[]) {
  return sql<boolean>`((session_id <> '' and session_id = any(${ids}))
    or (continued_by <> '{}' and continued_by && ${ids}::text[]))`;
}

/** Selects a page of change requests, newest first. */
export function changeRequestsPage(
  query: ReturnType<typeof changeRequestsQuery>,
  after: string | undefined,
  limit: number,
) {
  return newestFirst(query.select(shown).$narrowType<{ evidence: Evidence[] }>(), after, limit);
}

export async function readChangeRequest(db: Kysely<DB>, orgId: string, repositoryId: string, number: number) {
  return changeRequestsQuery(db, orgId, { repositoryId })
    .select(shown)
    .$narrowType<{ evidence: Evidence[] }>()
    .where('number', '=', number)
    .executeTakeFirst();
}

export async function lockChangeRequest(trx: Transaction<DB>, orgId: string, repositoryId: string, number: number) {
  return changeRequestsQuery(trx, orgId, { repositoryId })
    .select(shown)
    .$narrowType<{ evidence: Evidence[] }>()
    .where('number', '=', number)
    .forUpdate()
    .executeTakeFirst();
}

/** Returns the numbers of the open change requests of branches. */
export async function openOnBranches(db: Kysely<DB>, orgId: string, repositoryId: string, branches: string[]) {
  return changeRequestsQuery(db, orgId, { repositoryId, states: ['open'] })
    .select('number')
    .where('head_ref', 'in', branches)
    .execute();
}

/** Returns where a change request is; undefined if it does not exist. */
export async function readPlace(db: Kysely<DB>, orgId: string, id: string) {
  return db
    .selectFrom('change_requests')
    .select(['org_id', 'repository_id', 'number'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Returns undefined if the repository already has one with this number. */
export async function insertChangeRequest(trx: Transaction<DB>, row: Insertable<DB['change_requests']>) {
  return trx
    .insertInto('change_requests')
    .values(row)
    .onConflict((conflict) => conflict.columns(['repository_id', 'number']).doNothing())
    .returning(shown)
    .$narrowType<{ evidence: Evidence[] }>()
    .executeTakeFirst();
}

export async function updateChangeRequestRow(
  trx: Transaction<DB>,
  orgId: string,
  id: string,
  change: Updateable<DB['change_requests']>,
) {
  return trx
    .updateTable('change_requests')
    .set(change)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(shown)
    .$narrowType<{ evidence: Evidence[] }>()
    .executeTakeFirstOrThrow();
}
