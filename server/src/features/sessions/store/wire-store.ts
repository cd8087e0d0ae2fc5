import { sql, type Kysely, type Transaction } from 'kysely';
import { newestFirst } from '../../../db/page.ts';
import { named, type Database } from '../../../db/pool.ts';
import { principalJson } from '../../../db/principal.ts';
import type { DB } from '../../../db/types.ts';
import type { TimedPosition } from '../../../lib/cursor.ts';
import { attentionColumn } from './attention.ts';
import type { SessionsQuery } from './list-store.ts';
import { shownSandboxState } from './session-store.ts';

/** Formats a time as the API does: milliseconds and `Z`. */
const instantOf = (time: string): string => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const instant = (column: string): string => `${instantOf(column)} as ${column}`;

/** Change requests are read from their own table, so that a merge shows at once. */
const changeRequests = `
  coalesce((select json_agg(row_to_json(linked)) from (
    select r.provider, r.repo, c.number, c.state, c.draft,
      coalesce(nullif(c.url, ''), $BASE || '/repositories/' || r.id || '/change-requests/' || c.number) as url,
      r.id as repository_id
    from change_requests c join repositories r on r.id = c.repository_id and r.deleted_at is null
    where (c.session_id = sessions.id and c.session_id <> '') or (c.continued_by <> '{}' and c.continued_by @> array[sessions.id]) order by c.id) linked), '[]') as change_requests`;

/** The shown part of a repository's record; the rest is internal to runs. */
const repositories = `
  (select coalesce(json_agg(row_to_json(listed)), '[]') from (
    select r.provider, r.repo, r.base_ref, r.base_commit, r.branch
    from jsonb_to_recordset(sessions.repositories) as r (provider text, repo text, base_ref text, base_commit text, branch text)) listed) as repositories`;

const activity = `(select row_to_json(a) from (
    select activity as text, ${instantOf('coalesce(activity_at, created_at)')} as at) a) as activity`;

const unread = `exists (
    select from session_reads r where r.session_id = sessions.id and r.user_id = $USER and r.unread) as unread`;

/** The fields that can be large: whole, or empty in a summary. */
const heavy = {
  full: { prompt: 'prompt', phases: 'phases', metadata: 'metadata', structured_output: 'structured_output' },
  summary: {
    prompt: `'' as prompt`,
    phases: `(select coalesce(jsonb_agg(p.phase || '{"evidence": []}' order by p.n), '[]')
      from jsonb_array_elements(phases) with ordinality p (phase, n)) as phases`,
    metadata: `json '{}' as metadata`,
    structured_output: 'null::json as structured_output',
  },
};
export type SessionView = keyof typeof heavy;

/** The one for whom a session is written: the URL of the organization in the console, and the user; `''` for another principal. */
export interface Viewer {
  readonly base: string;
  readonly userId: string;
}

/**
 * A session as the text that clients get. PostgreSQL writes it, so that the most frequent responses are neither parsed
 * nor serialized. `$BASE` and `$USER` are those of the viewer.
 */
const sessionJson = (view: SessionView): string => `
  (select row_to_json(session)::text from (
    select sessions.id, $BASE || '/sessions/' || sessions.id as url, title, ${heavy[view].prompt}, status, status_detail,
      ${shownSandboxState}, ${attentionColumn} as attention, ${activity}, ${unread}, ${heavy[view].phases},
      agent_id, model, mode, ${repositories}, ${changeRequests}, tags, ${heavy[view].metadata}, origin,
      ${principalJson('sessions.created_by')} as created_by,
      automation_id, automation_run_id, parent_session_id, forked_from, ${heavy[view].structured_output}, budget,
      (select row_to_json(u) from (select input_tokens, output_tokens, cached_input_tokens,
          round(cost_usd::numeric, 6)::float8 as cost_usd, round(sandbox_seconds::numeric, 3)::float8 as sandbox_seconds) u) as usage,
      attempt_no, error, verify_command, verification, deliver, memory_enabled, sandbox, last_seq, archived,
      ${instant('created_at')}, ${instant('updated_at')}, ${instant('started_at')}, ${instant('working_since')}, ${instant('ended_at')}) session)`;

const parameters = (view: SessionView, base: number, user: number): string =>
  sessionJson(view).replaceAll('$BASE', `$${base}::text`).replaceAll('$USER', `$${user}::text`);

const listStatementOf = (view: SessionView): string => `
  select id, ${parameters(view, 4, 5)} as json,
    (select coalesce(sum(n), 0)::int8 from session_counts where org_id = $1 and archived = false) as total
  from sessions where org_id = $1 and archived = false and ($2 = '' or id < $2) order by id desc limit $3`;

/** The most frequent statements, planned once per connection. */
export const listStatement = listStatementOf('full');
const summaryStatement = listStatementOf('summary');
export const getStatement = `select ${parameters('full', 3, 4)} as json from sessions where org_id = $1 and id = $2`;

export interface SessionText {
  id: string;
  json: string;
}

/** Returns the first or next sessions that are not archived, newest first, each with the total number. */
export async function listOpenSessions(
  db: Database,
  orgId: string,
  viewer: Viewer,
  { view, after = '', limit }: { view: SessionView; after: string | undefined; limit: number },
): Promise<(SessionText & { total: number })[]> {
  const [name, text] = view === 'full' ? ['sessions_list', listStatement] : ['sessions_summary', summaryStatement];
  return named(db, name, text, [orgId, after, limit, viewer.base, viewer.userId]);
}

/** Returns the first or next sessions of a query, newest first. */
export async function listSessionTexts(
  query: SessionsQuery,
  viewer: Viewer,
  { view, after, limit }: { view: SessionView; after: string | undefined; limit: number },
): Promise<SessionText[]> {
  return newestFirst(query.select(['id', textFor(viewer, view).as('json')]), after, limit).execute();
}

/**
 * Returns the first or next sessions of several queries, the last changed first, each with the time of its change in
 * microseconds since 1970. The index on that time needs a query for archived sessions, and one for the others.
 */
export async function listChangedTexts(
  db: Kysely<DB>,
  queries: readonly SessionsQuery[],
  viewer: Viewer,
  { view, after, limit }: { view: SessionView; after: TimedPosition | undefined; limit: number },
): Promise<(SessionText & { changed_at: number })[]> {
  const time = sql<Date>`timestamptz 'epoch' + ${after?.microseconds ?? 0} * interval '1 microsecond'`;
  const pages = queries.map((query) =>
    query
      .select(['id as page_id', 'updated_at as page_time'])
      .$if(after !== undefined, (q) => q.where(sql<boolean>`(updated_at, id) < (${time}, ${after?.id})`))
      .orderBy('updated_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit),
  );
  const { rows } = await sql<SessionText & { changed_at: number }>`
    select id, ${textFor(viewer, view)} as json, (extract(epoch from updated_at) * 1000000)::int8 as changed_at
    from (select * from (${sql.join(pages, sql` union all `)}) found order by page_time desc, page_id desc limit ${limit}) page
    join sessions on id = page_id
    order by page_time desc, page_id desc`.execute(db);
  return rows;
}

export async function readSessionText(
  db: Database,
  orgId: string,
  { base, userId }: Viewer,
  id: string,
): Promise<string | undefined> {
  return (await named<{ json: string }>(db, 'session_get', getStatement, [orgId, id, base, userId]))[0]?.json;
}

/** Returns a session inside a transaction, with its changes. */
export async function readSessionTextIn(trx: Transaction<DB>, viewer: Viewer, id: string): Promise<string> {
  const { json } = await trx
    .selectFrom('sessions')
    .select(textFor(viewer, 'full').as('json'))
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return json;
}

function textFor({ base, userId }: Viewer, view: SessionView) {
  const parts = sessionJson(view).split(/(\$BASE|\$USER)/);
  const of = (part: string) =>
    part === '$BASE' ? sql`${base}::text` : part === '$USER' ? sql`${userId}::text` : sql.raw(part);
  return sql<string>`${sql.join(parts.map(of), sql``)}`;
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
