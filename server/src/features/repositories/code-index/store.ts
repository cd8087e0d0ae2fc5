import { sql, type Kysely, type Transaction, type Updateable } from 'kysely';
import type { PlacedBlob } from '../../../git/blobs.ts';
import type { DB } from '../../../db/types.ts';
import type { CodeFile } from '../../../symbols/extract.ts';

/** Makes a repository's index wait for an update. Returns false unless it exists; `create` makes one that starts from nothing. */
export async function queueIndex(trx: Transaction<DB>, orgId: string, id: string, create: boolean): Promise<boolean> {
  const row = await trx
    .updateTable('repositories')
    .set({ index_state: 'queued', index_error: '' })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .$if(!create, (q) => q.where('index_state', '!=', 'none'))
    .returning('id')
    .executeTakeFirst();
  if (row === undefined) return false;
  if (create)
    await trx
      .insertInto('repository_indexes')
      .values({ repository_id: id, is_rebuild: true })
      .onConflict((conflict) => conflict.column('repository_id').doUpdateSet({ is_rebuild: true }))
      .execute();
  return true;
}

export async function hasWiki(trx: Transaction<DB>, id: string): Promise<boolean> {
  const row = await trx
    .selectFrom('repositories')
    .select('id')
    .where('id', '=', id)
    .where('wiki_state', '!=', 'none')
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the id of a change request's repository; undefined if either is gone. */
export async function repositoryOfChangeRequest(
  trx: Transaction<DB>,
  orgId: string,
  changeRequestId: string,
): Promise<string | undefined> {
  const row = await trx
    .selectFrom('change_requests')
    .select('repository_id')
    .where('org_id', '=', orgId)
    .where('id', '=', changeRequestId)
    .executeTakeFirst();
  return row?.repository_id;
}

export async function dropIndex(trx: Transaction<DB>, orgId: string, id: string): Promise<void> {
  await trx
    .updateTable('repositories')
    .set({ index_state: 'none', index_commit: '', indexed_at: null, index_error: '' })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
  await trx.deleteFrom('repository_indexes').where('repository_id', '=', id).execute();
}

/** Changes the index of a repository that still has one; returns false otherwise. */
export async function setIndexState(
  db: Kysely<DB>,
  id: string,
  change: Pick<Updateable<DB['repositories']>, 'index_state' | 'index_error' | 'index_commit'>,
): Promise<boolean> {
  const row = await db
    .updateTable('repositories')
    .set(change)
    .where('id', '=', id)
    .where('index_state', '!=', 'none')
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function readIndex(db: Kysely<DB>, id: string) {
  return db.selectFrom('repository_indexes').selectAll().where('repository_id', '=', id).executeTakeFirst();
}

/**
 * Removes what an index has if it was to start from nothing, and returns true then. A rebuild that is ordered meanwhile is not
 * lost.
 */
export async function beginRebuild(trx: Transaction<DB>, id: string): Promise<boolean> {
  const row = await trx
    .updateTable('repository_indexes')
    .set({ is_rebuild: false, files_parsed: 0, files_to_parse: 0 })
    .where('repository_id', '=', id)
    .where('is_rebuild', '=', true)
    .returning('repository_id')
    .executeTakeFirst();
  if (row === undefined) return false;
  await setIndexState(trx, id, { index_commit: '' });
  await trx.deleteFrom('index_files').where('repository_id', '=', id).execute();
  await trx.deleteFrom('index_blobs').where('repository_id', '=', id).execute();
  return true;
}

/** Ends an update; the state stays if another one was ordered meanwhile. */
export async function finishUpdate(trx: Transaction<DB>, id: string, commit: string, now: Date): Promise<void> {
  await trx
    .updateTable('repositories')
    .set({
      index_commit: commit,
      indexed_at: now,
      index_error: '',
      index_state: sql<'ready' | 'queued'>`case index_state when 'indexing' then 'ready' else index_state end`,
    })
    .where('id', '=', id)
    .where('index_state', '!=', 'none')
    .execute();
}

export async function noteProgress(db: Kysely<DB>, id: string, parsed: number, toParse: number): Promise<void> {
  await db
    .updateTable('repository_indexes')
    .set({ files_parsed: parsed, files_to_parse: toParse })
    .where('repository_id', '=', id)
    .execute();
}

/** Counts an index's files, by the reason for which they were skipped (`''` for none), and its symbols. */
export async function countIndex(db: Kysely<DB>, id: string) {
  const files = await db
    .selectFrom('index_files as f')
    .leftJoin('index_blobs as b', (join) =>
      join.onRef('b.repository_id', '=', 'f.repository_id').onRef('b.blob', '=', 'f.blob').on('f.skipped', '=', ''),
    )
    .where('f.repository_id', '=', id)
    .groupBy(sql`1`)
    .select([sql<string>`coalesce(b.skipped, f.skipped)`.as('skipped'), sql<number>`count(*)::int`.as('files')])
    .execute();
  const symbols = await db
    .selectFrom('index_symbols as s')
    .innerJoin('index_files as f', (join) =>
      join.onRef('f.repository_id', '=', 's.repository_id').onRef('f.blob', '=', 's.blob').on('f.skipped', '=', ''),
    )
    .where('s.repository_id', '=', id)
    .select(sql<number>`count(*)::int`.as('count'))
    .executeTakeFirstOrThrow();
  return { files, symbols: symbols.count };
}

/** Returns the blobs among these that were looked at before. */
export async function knownBlobs(db: Kysely<DB>, id: string, blobs: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('index_blobs')
    .select('blob')
    .where('repository_id', '=', id)
    .where(sql<boolean>`blob = any(${blobs}::text[])`)
    .execute();
  return new Set(rows.map(({ blob }) => blob));
}

export interface ReadBlob extends CodeFile {
  id: string;
  skipped: string;
}

/** Adds blobs with what they say, unless the index was deleted. */
export async function insertBlobs(trx: Transaction<DB>, id: string, blobs: readonly ReadBlob[]): Promise<void> {
  const rows = JSON.stringify(blobs.map((blob) => ({ blob: blob.id, skipped: blob.skipped, lines: blob.lines })));
  await sql`
    insert into index_blobs (repository_id, blob, skipped, lines)
    select i.repository_id, r.blob, r.skipped, r.lines
    from repository_indexes i, json_to_recordset(${rows}::json) as r(blob text, skipped text, lines int)
    where i.repository_id = ${id}
    on conflict do nothing`.execute(trx);
  const fields = sql`name text, kind text, container text, line int, "endLine" int, signature text, "isExported" bool, doc text`;
  const symbols = JSON.stringify(blobs.flatMap((blob) => blob.symbols.map((one) => ({ blob: blob.id, ...one }))));
  await sql`
    insert into index_symbols (repository_id, blob, name, kind, container, line, end_line, signature, is_exported, doc)
    select ${id}, s.blob, s.name, s.kind, s.container, s.line, s."endLine", s.signature, s."isExported", s.doc
    from json_to_recordset(${symbols}::json) as s(blob text, ${fields})
    join index_blobs b on b.repository_id = ${id} and b.blob = s.blob`.execute(trx);
  const facts = JSON.stringify(blobs.flatMap((blob) => blob.facts.map((one) => ({ blob: blob.id, ...one }))));
  await sql`
    insert into index_facts (repository_id, blob, kind, name, detail, line)
    select ${id}, f.blob, f.kind, f.name, f.detail, f.line
    from json_to_recordset(${facts}::json) as f(blob text, kind text, name text, detail text, line int)
    join index_blobs b on b.repository_id = ${id} and b.blob = f.blob`.execute(trx);
}

/** A file with the reason to skip it for its path; `''` for none. */
export type IndexFile = PlacedBlob & { skipped: string };

/** Replaces files by their new blobs; the blob `''` removes one. */
export async function putFiles(trx: Transaction<DB>, id: string, files: readonly IndexFile[]): Promise<void> {
  const gone = files.filter((file) => file.id === '').map(({ path }) => path);
  const there = files.filter((file) => file.id !== '');
  await sql`delete from index_files where repository_id = ${id} and path = any(${gone}::text[])`.execute(trx);
  const rows = JSON.stringify(there);
  await sql`
    insert into index_files (repository_id, path, blob, skipped)
    select i.repository_id, r.path, r.id, r.skipped
    from repository_indexes i, json_to_recordset(${rows}::json) as r(path text, id text, skipped text)
    where i.repository_id = ${id}
    on conflict (repository_id, path) do update set blob = excluded.blob, skipped = excluded.skipped`.execute(trx);
}

export async function deleteFiles(trx: Transaction<DB>, id: string): Promise<void> {
  await trx.deleteFrom('index_files').where('repository_id', '=', id).execute();
}

/** Deletes the blobs that no file has, with their symbols. */
export async function deleteUnusedBlobs(trx: Transaction<DB>, id: string): Promise<void> {
  await sql`
    delete from index_blobs b where b.repository_id = ${id}
    and not exists (select from index_files f where f.repository_id = b.repository_id and f.blob = b.blob and f.skipped = '')`.execute(
    trx,
  );
}

const symbolColumns = ['f.path', 's.name', 's.kind', 's.container', 's.line', 's.end_line', 's.signature'] as const;

/** Finds symbols whose lower-case name is like `pattern`, the shortest names first. */
export async function findSymbolRows(
  db: Kysely<DB>,
  id: string,
  { pattern, container, limit }: { pattern: string; container: string; limit: number },
) {
  return db
    .selectFrom('index_symbols as s')
    .innerJoin('index_files as f', (join) =>
      join.onRef('f.repository_id', '=', 's.repository_id').onRef('f.blob', '=', 's.blob'),
    )
    .where('s.repository_id', '=', id)
    .where('f.skipped', '=', '')
    .where(sql<boolean>`lower(s.name) like ${pattern}`)
    .$if(container !== '', (q) => q.where(sql<boolean>`lower(s.container) like ${container}`))
    .select(symbolColumns)
    .orderBy(sql`length(s.name)`)
    .orderBy('s.name')
    .orderBy('f.path')
    .orderBy('s.line')
    .limit(limit)
    .execute();
}
