import { sql, type Kysely } from 'kysely';
import { named, type Database } from '../../../db/pool.ts';
import type { DB } from '../../../db/types.ts';
import { containing } from '../../../db/pattern.ts';
import type { Attention, SessionStatus, Verification } from '../schemas/session-schemas.ts';
import { attentionCondition } from './attention.ts';

export interface SessionFilter {
  id?: string[];
  status?: SessionStatus[];
  status_detail?: string[];
  origin?: ('api' | 'console' | 'cli' | 'mcp' | 'automation' | 'review' | 'session')[];
  tag?: string[];
  repo?: string[];
  created_by?: string[];
  automation_id?: string[];
  automation_run_id?: string[];
  parent_session_id?: string[];
  created_after?: Date;
  created_before?: Date;
  archived?: boolean;
  search?: string;
  attention?: Attention[];
  verification?: Verification[];
  updated_after?: Date;
}

/** Selects sessions that match every filter; a filter matches any of its values. */
export function sessionsQuery(db: Kysely<DB>, orgId: string, filter: SessionFilter) {
  const { status = [], status_detail = [], origin = [], tag = [], repo = [], created_by = [], search } = filter;
  const { id = [], automation_id = [], automation_run_id = [], parent_session_id = [] } = filter;
  const { created_after, created_before, archived } = filter;
  const { attention = [], verification = [], updated_after } = filter;
  const names = repo.map(lowerCase);
  const pattern = containing(search ?? '');
  return db
    .selectFrom('sessions')
    .where('org_id', '=', orgId)
    .$if(archived !== undefined, (q) => q.where('archived', '=', archived ?? false))
    .$if(id.length > 0, (q) => q.where('id', 'in', id))
    .$if(status.length > 0, (q) => q.where('status', 'in', status))
    .$if(status_detail.length > 0, (q) => q.where('status_detail', 'in', status_detail))
    .$if(origin.length > 0, (q) => q.where('origin', 'in', origin))
    .$if(tag.length > 0, (q) => q.where('id', 'in', labeled(db, orgId, 'tag', tag, archived)))
    .$if(names.length > 0, (q) => q.where('id', 'in', labeled(db, orgId, 'repository', names.map(nameOf), archived)))
    .$if(names.some(hasProvider), (q) => q.where('repo_names', '&&', sql<string[]>`${names}::text[]`))
    .$if(created_by.length > 0, (q) => q.where('created_by_id', 'in', created_by))
    .$if(automation_id.length > 0, (q) => q.where('automation_id', 'in', automation_id))
    .$if(automation_run_id.length > 0, (q) => q.where('automation_run_id', 'in', automation_run_id))
    .$if(parent_session_id.length > 0, (q) => q.where('parent_session_id', 'in', parent_session_id))
    .$if(created_after !== undefined, (q) => q.where('created_at', '>', created_after ?? new Date(0)))
    .$if(created_before !== undefined, (q) => q.where('created_at', '<', created_before ?? new Date(0)))
    .$if(attention.length > 0, (q) => q.where(sql<boolean>`(${sql.raw(attentionCondition(attention))})`))
    .$if(verification.length > 0, (q) => q.where('verification', 'in', verification))
    .$if(updated_after !== undefined, (q) => q.where('updated_at', '>', updated_after ?? new Date(0)))
    .$if(search !== undefined, (q) =>
      q.where((eb) => eb.or([eb('title', 'ilike', pattern), eb('prompt', 'ilike', pattern)])),
    );
}

/** Repositories are asked for by their name, or by `provider:name`. */
const hasProvider = (name: string): boolean => name.includes(':');
const nameOf = (name: string): string => name.slice(name.indexOf(':') + 1);
const lowerCase = (name: string): string => name.toLowerCase();

/** Selects the ids of sessions with any of these labels. */
function labeled(
  db: Kysely<DB>,
  orgId: string,
  kind: 'tag' | 'repository',
  values: readonly string[],
  archived: boolean | undefined,
) {
  return db
    .selectFrom('session_labels')
    .select('session_id as id')
    .where('session_labels.org_id', '=', orgId)
    .where('kind', '=', kind)
    .where('value', 'in', values)
    .$if(archived !== undefined, (q) => q.where('session_labels.archived', '=', archived ?? false));
}

/**
 * The ids of all sessions with one label, if that is all the filter asks for: an index has them in order, and nothing
 * else is read. Undefined for another filter.
 */
export function labelQuery(db: Kysely<DB>, orgId: string, filter: SessionFilter) {
  const { archived, tag = [], repo = [], ...others } = filter;
  const isAll = Object.values(others).every((values) => Array.isArray(values) && values.length === 0);
  if (!isAll || archived === undefined || tag.length + repo.length !== 1 || repo.some(hasProvider)) return undefined;
  const ids =
    tag.length > 0
      ? labeled(db, orgId, 'tag', tag, archived)
      : labeled(db, orgId, 'repository', repo.map(lowerCase), archived);
  return db.selectFrom(ids.as('labeled')).select('id');
}

export type SessionsQuery = ReturnType<typeof sessionsQuery>;

/** The standings of sessions, as conditions: every session that is not archived has exactly one. */
const standings = {
  needs_you: attentionCondition(['approval', 'answer', 'budget']),
  working: `status in ('provisioning', 'running')`,
  queued: `status = 'queued'`,
  suspended: `status = 'suspended' and status_detail not in ('inactivity', 'budget_reached')`,
  done: `status in ('completed', 'canceled')`,
  failed: `status = 'failed'`,
};
export type Standing = keyof typeof standings;

/** Returns a query, limited to the sessions that stand like this. */
export function standingQuery(query: SessionsQuery, standing: Standing): SessionsQuery {
  return query.where(sql<boolean>`(${sql.raw(standings[standing])})`);
}

/** Returns a query, limited to the sessions that are unread for a user. */
export function unreadQuery(query: SessionsQuery, orgId: string, userId: string): SessionsQuery {
  return query.where('id', 'in', ({ selectFrom }) =>
    selectFrom('session_reads')
      .select('session_id')
      .where('session_reads.org_id', '=', orgId)
      .where('user_id', '=', userId)
      .where('unread', '=', true),
  );
}

/** Returns the activity of sessions; those that do not exist, or have done nothing yet, are left out. */
export async function readActivities(db: Database, orgId: string, ids: readonly string[]) {
  return named<{ id: string; text: string; at: Date }>(
    db,
    'session_activities',
    `select id, activity as text, activity_at as at from sessions
     where id = any ($2::text[]) and org_id = $1 and activity_at is not null`,
    [orgId, ids],
  );
}
