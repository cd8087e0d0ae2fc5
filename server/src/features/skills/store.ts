import { sql, type Insertable, type Kysely, type Transaction, type Updateable } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import { principal } from '../../db/principal.ts';
import type { DB } from '../../db/types.ts';
import { containing } from '../../db/pattern.ts';
import type { FileEntry } from './schemas.ts';

export type StoredSource = 'managed' | 'imported';

export interface Assignment {
  scope: 'organization' | 'repository';
  repo: string;
}

const shown = [
  'id',
  'name',
  'description',
  'source',
  'revision',
  'digest',
  'enabled',
  'assignments',
  'license',
  'metadata',
  'file_count',
  'size_bytes',
  'created_at',
  'updated_at',
] as const;

export interface SkillFilter {
  readonly search?: string | undefined;
  /** Undefined for any. */
  readonly sources?: readonly StoredSource[] | undefined;
  readonly enabled?: boolean | undefined;
}

export function skillsQuery(db: Kysely<DB>, orgId: string, filter: SkillFilter = {}) {
  const { search, sources, enabled } = filter;
  const pattern = containing(search ?? '');
  return db
    .selectFrom('skills')
    .where('org_id', '=', orgId)
    .where('deleted_at', 'is', null)
    .$if(search !== undefined, (query) =>
      query.where((eb) => eb.or([eb('name', 'ilike', pattern), eb('description', 'ilike', pattern)])),
    )
    .$if(sources !== undefined, (query) => query.where('source', '=', sql<StoredSource>`any(${sources ?? []})`))
    .$if(enabled !== undefined, (query) => query.where('enabled', '=', enabled ?? true));
}

function withFields(query: ReturnType<typeof skillsQuery>) {
  return query.select(shown).$narrowType<{ assignments: Assignment[]; metadata: Record<string, unknown> }>();
}

export type SkillRow = NonNullable<Awaited<ReturnType<typeof readSkill>>>;

export async function listSkillRows(query: ReturnType<typeof skillsQuery>, after: string | undefined, limit: number) {
  return newestFirst(withFields(query), after, limit).execute();
}

export async function readSkill(db: Kysely<DB>, orgId: string, id: string) {
  return withFields(skillsQuery(db, orgId)).where('id', '=', id).executeTakeFirst();
}

export async function readSkillByName(db: Kysely<DB>, orgId: string, name: string) {
  return withFields(skillsQuery(db, orgId)).where('name', '=', name).executeTakeFirst();
}

/** Returns the skill and locks it until the transaction ends. */
export async function lockSkill(trx: Transaction<DB>, orgId: string, id: string) {
  return withFields(skillsQuery(trx, orgId)).where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Keeps others from adding skills to the organization until the transaction ends. */
export async function lockSkills(trx: Transaction<DB>, orgId: string): Promise<void> {
  await sql`select 1 from organizations where id = ${orgId} for no key update`.execute(trx);
}

export async function countSkills(trx: Transaction<DB>, orgId: string): Promise<number> {
  const { count } = await skillsQuery(trx, orgId)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

export async function insertSkill(trx: Transaction<DB>, row: Insertable<DB['skills']>): Promise<void> {
  await trx.insertInto('skills').values(row).execute();
}

export async function updateSkillRow(
  trx: Transaction<DB>,
  orgId: string,
  id: string,
  change: Updateable<DB['skills']>,
): Promise<void> {
  await trx.updateTable('skills').set(change).where('org_id', '=', orgId).where('id', '=', id).execute();
}

export async function insertRevision(trx: Transaction<DB>, row: Insertable<DB['skill_revisions']>): Promise<void> {
  await trx.insertInto('skill_revisions').values(row).execute();
}

/** Copies the current revision to the next one, for a change of settings. */
export async function copyRevision(
  trx: Transaction<DB>,
  { id, revision }: Pick<SkillRow, 'id' | 'revision'>,
  by: { type: string; id: string },
  now: Date,
): Promise<void> {
  await sql`
    insert into skill_revisions (
      skill_id, revision, org_id, digest, name, description, license, metadata, files, content, written_by,
      created_by_type, created_by_id, created_at)
    select skill_id, revision + 1, org_id, digest, name, description, license, metadata, files, content,
      written_by, ${by.type}, ${by.id}, ${now}
    from skill_revisions where skill_id = ${id} and revision = ${revision}`.execute(trx);
}

const told = [
  'revision',
  'digest',
  'name',
  'description',
  'license',
  'metadata',
  'files',
  principal('skill_revisions.created_by').as('created_by'),
  'created_at',
] as const;

function revisionsQuery(db: Kysely<DB>, orgId: string, skillId: string) {
  return db
    .selectFrom('skill_revisions')
    .$narrowType<{ files: FileEntry[]; metadata: Record<string, unknown> }>()
    .where('org_id', '=', orgId)
    .where('skill_id', '=', skillId);
}

/** Returns up to `limit` revisions before the revision `after`, newest first. */
export async function listRevisionRows(
  db: Kysely<DB>,
  orgId: string,
  skillId: string,
  { after, limit }: { after?: number | undefined; limit: number },
) {
  return revisionsQuery(db, orgId, skillId)
    .select(told)
    .$narrowType<{ files: FileEntry[]; metadata: Record<string, unknown> }>()
    .$if(after !== undefined, (query) => query.where('revision', '<', after ?? 0))
    .orderBy('revision', 'desc')
    .limit(limit)
    .execute();
}

/** Returns the file list of a revision. */
export async function readEntries(db: Kysely<DB>, orgId: string, skillId: string, revision: number) {
  const row = await revisionsQuery(db, orgId, skillId)
    .select('files')
    .$narrowType<{ files: FileEntry[] }>()
    .where('revision', '=', revision)
    .executeTakeFirst();
  return row?.files ?? [];
}

/** Returns the author of a revision; undefined if it does not exist. */
export async function readWriter(db: Kysely<DB>, orgId: string, skillId: string, revision: number) {
  const row = await revisionsQuery(db, orgId, skillId)
    .select('written_by')
    .where('revision', '=', revision)
    .executeTakeFirst();
  return row?.written_by;
}

/** Reads bytes of a revision's content, starting at `start`. */
export async function readPart(
  db: Kysely<DB>,
  orgId: string,
  skillId: string,
  { revision, start, length }: { revision: number; start: number; length: number },
): Promise<Buffer> {
  const row = await revisionsQuery(db, orgId, skillId)
    .select(sql<Buffer>`substring(content from ${start + 1}::int for ${length}::int)`.as('part'))
    .where('revision', '=', revision)
    .executeTakeFirst();
  return row?.part ?? Buffer.alloc(0);
}

/** Returns a revision with its content, also of a deleted skill. */
export async function readBundle(db: Kysely<DB>, orgId: string, skillId: string, revision: number) {
  return revisionsQuery(db, orgId, skillId)
    .select(['name', 'files', 'content', 'written_by'])
    .$narrowType<{ files: FileEntry[] }>()
    .where('revision', '=', revision)
    .executeTakeFirst();
}

/** Returns those ids that are skills of the organization. */
export async function existingSkills(db: Kysely<DB>, orgId: string, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await skillsQuery(db, orgId).select('id').where('id', 'in', ids).execute();
  return new Set(rows.map(({ id }) => id));
}

/** Returns the words that each text shares with the prompt, as stems, so that word endings do not matter. */
export async function sharedWords(db: Kysely<DB>, prompt: string, texts: readonly string[]): Promise<string[][]> {
  if (texts.length === 0) return [];
  const { rows } = await sql<{ words: string[] }>`
    with asked as materialized (select tsvector_to_array(to_tsvector('english', ${prompt})) as words)
    select array(
      select unnest(tsvector_to_array(to_tsvector('english', text))) intersect select unnest(asked.words) order by 1
    ) as words
    from unnest(${texts}::text[]) with ordinality as told (text, place), asked order by place`.execute(db);
  return rows.map(({ words }) => words);
}

/** Purges skills that were deleted before this time, with their revisions. */
export async function removeDeleted(db: Kysely<DB>, before: Date): Promise<void> {
  await db.deleteFrom('skills').where('deleted_at', '<', before).execute();
}
