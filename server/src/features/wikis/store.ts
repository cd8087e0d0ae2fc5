import { sql, type Kysely, type Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';
import type { WikiPage } from '../../wiki/material.ts';

/** Makes a repository's wiki wait for its pages. Returns false if the repository does not exist. */
export async function queueWiki(
  trx: Transaction<DB>,
  orgId: string,
  id: string,
  { requestedBy, wantsProse }: { requestedBy: string; wantsProse: boolean },
): Promise<boolean> {
  const row = await trx
    .updateTable('repositories')
    .set({ wiki_state: 'queued' })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  if (row === undefined) return false;
  if (wantsProse)
    await trx.updateTable('wiki_pages').set({ is_tried: false }).where('repository_id', '=', id).execute();
  await trx
    .insertInto('wikis')
    .values({ repository_id: id, requested_by: requestedBy, wants_prose: wantsProse })
    .onConflict((conflict) =>
      conflict.column('repository_id').doUpdateSet({
        requested_by: requestedBy,
        wants_prose: wantsProse,
        error: '',
        ...(wantsProse ? { prose_error: '' } : {}),
      }),
    )
    .execute();
  return true;
}

export async function readWiki(db: Kysely<DB>, id: string) {
  return db.selectFrom('wikis').selectAll().where('repository_id', '=', id).executeTakeFirst();
}

const hasProse = sql<boolean>`wiki_pages.prose <> ''`.as('has_prose');
const isStale = sql<boolean>`wiki_pages.prose_blobs <> wiki_pages.blobs`.as('is_stale');
const listed = ['slug', 'parent', 'kind', 'title', 'summary', hasProse, isStale] as const;

export async function listPages(db: Kysely<DB>, id: string) {
  return db.selectFrom('wiki_pages').select(listed).where('repository_id', '=', id).orderBy('position').execute();
}

export async function readPage(db: Kysely<DB>, id: string, slug: string) {
  return db
    .selectFrom('wiki_pages')
    .innerJoin('wikis', 'wikis.repository_id', 'wiki_pages.repository_id')
    .select([...listed, 'body', 'prose', 'prose_at', 'prose_commit', 'commit_sha'])
    .where('wiki_pages.repository_id', '=', id)
    .where('slug', '=', slug)
    .executeTakeFirst();
}
export type PageRow = NonNullable<Awaited<ReturnType<typeof readPage>>>;

/** Changes the state of a repository that still has a wiki; returns false otherwise. */
export async function setWikiState(
  db: Kysely<DB>,
  id: string,
  state: 'generating' | 'failed',
  error = '',
): Promise<boolean> {
  const row = await db
    .updateTable('repositories')
    .set({ wiki_state: state })
    .where('id', '=', id)
    .where('wiki_state', '!=', 'none')
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  if (row === undefined) return false;
  await db.updateTable('wikis').set({ error }).where('repository_id', '=', id).execute();
  return true;
}

/** Returns the bytes of a wiki's pages. */
export async function sizeOf(trx: Transaction<DB>, id: string): Promise<number> {
  const row = await trx
    .selectFrom('wiki_pages')
    .select(sql<number>`coalesce(sum(octet_length(body) + octet_length(prose)), 0)::bigint`.as('bytes'))
    .where('repository_id', '=', id)
    .executeTakeFirst();
  return row?.bytes ?? 0;
}

/** Replaces a wiki's pages; a page that stays keeps its prose. The state stays if another generation was ordered meanwhile. */
export async function replacePages(
  trx: Transaction<DB>,
  id: string,
  { pages, note, commit, now }: { pages: readonly WikiPage[]; note: string; commit: string; now: Date },
): Promise<void> {
  const rows = JSON.stringify(pages.map((page, position) => ({ ...page, blobs: page.blobs.toSorted(), position })));
  await sql`delete from wiki_pages where repository_id = ${id} and slug <> all(${pages.map(({ slug }) => slug)}::text[])`.execute(
    trx,
  );
  await sql`
    insert into wiki_pages (repository_id, slug, position, parent, kind, title, summary, body, blobs)
    select w.repository_id, p.slug, p.position, p.parent, p.kind, p.title, p.summary, p.body, p.blobs
    from wikis w, json_to_recordset(${rows}::json)
      as p(slug text, position int, parent text, kind text, title text, summary text, body text, blobs text[])
    where w.repository_id = ${id}
    on conflict (repository_id, slug) do update set position = excluded.position, parent = excluded.parent,
      kind = excluded.kind, title = excluded.title, summary = excluded.summary, body = excluded.body, blobs = excluded.blobs`.execute(
    trx,
  );
  await trx.updateTable('wikis').set({ commit_sha: commit, note, error: '' }).where('repository_id', '=', id).execute();
  await trx
    .updateTable('repositories')
    .set({
      wiki_generated_at: now,
      wiki_state: sql<'ready' | 'queued'>`case wiki_state when 'generating' then 'ready' else wiki_state end`,
    })
    .where('id', '=', id)
    .where('wiki_state', '!=', 'none')
    .execute();
}
