import { sql, type Kysely, type Transaction } from 'kysely';
import { newestFirst } from '../../../db/page.ts';
import { named, type Database } from '../../../db/pool.ts';
import { principalJson } from '../../../db/principal.ts';
import type { DB } from '../../../db/types.ts';
import { shownSandboxState, type sessionsQuery } from './session-store.ts';

/** Formats a time as the API does: milliseconds and `Z`. */
const instant = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${column}`;

/** Change requests are read from their own table, so that a merge shows at once. */
const changeRequests = `
  coalesce((select json_agg(row_to_json(linked)) from (
    select r.provider, r.repo, c.number, c.state, c.draft,
      coalesce(nullif(c.url, ''), $BASE || '/repositories/' || r.id || '/change-requests/' || c.number) as url
    from change_requests c join repositories r on r.id = c.repository_id and r.deleted_at is null
    where c.session_id = sessions.id and c.session_id <> '' order by c.id) linked), '[]') as change_requests`;

/** The shown part of a repository's record; the rest is internal to runs. */
const repositories = `
  (select coalesce(json_agg(row_to_json(listed)), '[]') from (
    select r.provider, r.repo, r.base_ref, r.base_commit, r.branch
    from jsonb_to_recordset(sessions.repositories) as r (provider text, repo text, base_ref text, base_commit text, branch text)) listed) as repositories`;

/**
 * A session as the text that clients get. PostgreSQL writes it, so that the most frequent responses are neither parsed
 * nor serialized. `$BASE` is the URL of the organization.
 */
const sessionJson = `
  (select row_to_json(session)::text from (
    select sessions.id, $BASE || '/sessions/' || sessions.id as url, title, prompt, status, status_detail, ${shownSandboxState}, phases,
      agent_id, model, mode, ${repositories}, ${changeRequests}, tags, metadata, origin,
      ${principalJson('sessions.created_by')} as created_by,
      automation_id, parent_session_id, forked_from, structured_output, budget,
      (select row_to_json(u) from (select input_tokens, output_tokens, cached_input_tokens,
          round(cost_usd::numeric, 6)::float8 as cost_usd, round(sandbox_seconds::numeric, 3)::float8 as sandbox_seconds) u) as usage,
      attempt_no, error, verify_command, verification, deliver, memory_enabled, sandbox, last_seq, archived,
      ${instant('created_at')}, ${instant('updated_at')}, ${instant('started_at')}, ${instant('ended_at')}) session)`;

/** The most frequent statements, planned once per connection. */
export const listStatement = `
  select id, ${sessionJson.replaceAll('$BASE', '$4::text')} as json,
    (select coalesce(sum(n), 0)::int8 from session_counts where org_id = $1 and archived = false) as total
  from sessions where org_id = $1 and archived = false and ($2 = '' or id < $2) order by id desc limit $3`;
export const getStatement = `
  select ${sessionJson.replaceAll('$BASE', '$3::text')} as json from sessions where org_id = $1 and id = $2`;

export interface SessionText {
  id: string;
  json: string;
}

/** Returns the first or next sessions that are not archived, newest first, each with the total number. */
export async function listOpenSessions(
  db: Database,
  orgId: string,
  base: string,
  after: string | undefined,
  limit: number,
): Promise<(SessionText & { total: number })[]> {
  return named(db, 'sessions_list', listStatement, [orgId, after ?? '', limit, base]);
}

/** Returns the first or next sessions of a query, newest first. */
export async function listSessionTexts(
  query: ReturnType<typeof sessionsQuery>,
  base: string,
  after: string | undefined,
  limit: number,
): Promise<SessionText[]> {
  return newestFirst(query.select(['id', textIn(base).as('json')]), after, limit).execute();
}

export async function readSessionText(
  db: Database,
  orgId: string,
  base: string,
  id: string,
): Promise<string | undefined> {
  return (await named<{ json: string }>(db, 'session_get', getStatement, [orgId, id, base]))[0]?.json;
}

/** Returns a session inside a transaction, with its changes. */
export async function readSessionTextIn(trx: Transaction<DB>, base: string, id: string): Promise<string> {
  const { json } = await trx
    .selectFrom('sessions')
    .select(textIn(base).as('json'))
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return json;
}

function textIn(base: string) {
  const parts = sessionJson.split('$BASE').map((part) => sql.raw(part));
  return sql<string>`${sql.join(parts, sql`${base}::text`)}`;
}

/** Counts the sessions that are not archived. */
export async function readOpenTotal(db: Kysely<DB>, orgId: string): Promise<number> {
  const row = await db
    .selectFrom('session_counts')
    .select(sql<number>`coalesce(sum(n), 0)::int8`.as('total'))
    .where('org_id', '=', orgId)
    .where('archived', '=', false)
    .executeTakeFirst();
  return row?.total ?? 0;
}
