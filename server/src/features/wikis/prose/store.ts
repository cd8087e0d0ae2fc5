import { sql, type Kysely, type Transaction } from 'kysely';
import type { DB } from '../../../db/types.ts';

/** The kinds of pages that prose is written for; the others are lists. */
const writtenKinds = ['overview', 'architecture', 'module', 'steered'] as const;

/** Returns a wiki with what its repository and the session that writes its prose are now. */
export async function readProse(db: Kysely<DB>, orgId: string, id: string) {
  return db
    .selectFrom('wikis as w')
    .innerJoin('repositories as r', 'r.id', 'w.repository_id')
    .leftJoin('sessions as s', (join) => join.onRef('s.id', '=', 'w.session_id').onRef('s.org_id', '=', 'r.org_id'))
    .select(['w.commit_sha', 'w.requested_by', 'w.session_id', 'w.session_commit', 'w.wants_prose'])
    .select(['r.wiki_state', 'r.index_state'])
    .select(['s.id as found_session', 's.status', 's.status_detail', 's.structured_output'])
    .where('r.org_id', '=', orgId)
    .where('r.id', '=', id)
    .where('r.deleted_at', 'is', null)
    .executeTakeFirst();
}
export type ProseRow = NonNullable<Awaited<ReturnType<typeof readProse>>>;

/** Locks a wiki until the transaction ends. */
export async function lockWiki(trx: Transaction<DB>, id: string) {
  return trx
    .selectFrom('wikis')
    .select(['session_id', 'wants_prose', 'commit_sha'])
    .where('repository_id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

const isOld = sql<boolean>`(prose = '' or prose_blobs <> blobs)`;

/** Returns the pages whose prose is missing or stale and was not tried for this request, in the order of the wiki. */
export async function listUnwritten(db: Kysely<DB>, id: string, limit: number) {
  return db
    .selectFrom('wiki_pages')
    .select(['slug', 'kind', 'title', 'summary'])
    .where('repository_id', '=', id)
    .where('kind', 'in', writtenKinds)
    .where(isOld)
    .where('is_tried', '=', false)
    .orderBy('position')
    .limit(limit)
    .execute();
}

/** Counts the pages that a session writes, and that later ones of the same request will write. */
export async function countProseLeft(db: Kysely<DB>, id: string): Promise<number> {
  const row = await db
    .selectFrom('wikis as w')
    .innerJoin('wiki_pages', 'wiki_pages.repository_id', 'w.repository_id')
    .select((eb) => eb.fn.countAll<number>().as('pages'))
    .where('w.repository_id', '=', id)
    .where('kind', 'in', writtenKinds)
    .where(isOld)
    .where((eb) => eb.or([eb('w.session_id', '<>', ''), eb('w.wants_prose', '=', true)]))
    .where((eb) =>
      eb.or([
        eb('is_tried', '=', false),
        eb.and([eb('w.session_id', '<>', ''), sql<boolean>`cardinality(asked_blobs) > 0`]),
      ]),
    )
    .executeTakeFirst();
  return row?.pages ?? 0;
}

/** Records the session that writes about these pages. */
export async function beginProse(
  trx: Transaction<DB>,
  id: string,
  { sessionId, commit, slugs }: { sessionId: string; commit: string; slugs: readonly string[] },
): Promise<void> {
  await trx
    .updateTable('wikis')
    .set({ session_id: sessionId, session_commit: commit, wants_prose: false })
    .where('repository_id', '=', id)
    .execute();
  await trx
    .updateTable('wiki_pages')
    .set({
      asked_blobs: sql`case when slug = any(${slugs}::text[]) then blobs else '{}' end`,
      is_tried: sql<boolean>`is_tried or slug = any(${slugs}::text[])`,
    })
    .where('repository_id', '=', id)
    .execute();
}

/** Ends the session of a wiki, with what is to be said of its prose. `goesOn`: another one writes the pages that are left. */
export async function endProse(trx: Transaction<DB>, id: string, problem: string, goesOn = false): Promise<void> {
  await trx
    .updateTable('wikis')
    .set({ session_id: '', prose_error: withProblem(problem) })
    .$if(goesOn, (query) => query.set({ wants_prose: true }))
    .where('repository_id', '=', id)
    .execute();
}

/** Adds to what earlier sessions of the same request said. */
function withProblem(problem: string) {
  return sql<string>`left(trim(prose_error || ' ' || ${problem}::text), 2000)`;
}

/** Forgets that prose is wanted, with the reason for which there will be none. */
export async function giveUpProse(trx: Transaction<DB>, id: string, problem: string): Promise<void> {
  await trx
    .updateTable('wikis')
    .set({ wants_prose: false, prose_error: withProblem(problem) })
    .where('repository_id', '=', id)
    .where('session_id', '=', '')
    .execute();
}

/** Replaces the prose of a page that was asked for. */
export async function putProse(
  trx: Transaction<DB>,
  id: string,
  { slug, text, commit, now }: { slug: string; text: string; commit: string; now: Date },
): Promise<void> {
  await trx
    .updateTable('wiki_pages')
    .set({ prose: text, prose_blobs: sql`asked_blobs`, prose_commit: commit, prose_at: now })
    .where('repository_id', '=', id)
    .where('slug', '=', slug)
    .where(sql<boolean>`cardinality(asked_blobs) > 0`)
    .execute();
}

/** Returns the slugs of a wiki, and if the session was asked to write about each. */
export async function listAsked(db: Kysely<DB>, id: string) {
  return db
    .selectFrom('wiki_pages')
    .select(['slug', sql<boolean>`cardinality(asked_blobs) > 0`.as('is_asked')])
    .where('repository_id', '=', id)
    .execute();
}

/** Returns the wikis whose prose these sessions write. */
export async function listWikisOfSessions(db: Kysely<DB>, sessionIds: readonly string[]) {
  if (sessionIds.length === 0) return [];
  return writing(db).where('w.session_id', 'in', sessionIds).execute();
}

/** Returns wikis whose prose a session writes, or that wait for one. */
export async function listWriting(db: Kysely<DB>, limit: number) {
  return writing(db)
    .where((eb) => eb.or([eb('w.session_id', '<>', ''), eb('w.wants_prose', '=', true)]))
    .limit(limit)
    .execute();
}

function writing(db: Kysely<DB>) {
  return db
    .selectFrom('wikis as w')
    .innerJoin('repositories as r', 'r.id', 'w.repository_id')
    .select(['r.id', 'r.org_id'])
    .where('r.deleted_at', 'is', null);
}
