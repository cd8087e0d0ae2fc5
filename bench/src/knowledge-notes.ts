import type { Database } from '../../server/src/db/pool.ts';
import type { Page } from './knowledge-corpus.ts';

/** The owner of the notes. */
export const orgId = 'org_bench';

/** Returns the repository of a package's sessions. */
export function repositoryOf(packageName: string): string {
  return `bench/${packageName.replace('/', '.')}`;
}

/**
 * Stores these pages as the organization's notes, in our table and in one for plain full-text search; with `isFiltered`
 * they apply only to their package's repository. A note's id ends with its page's index.
 */
export async function fillNotes(db: Database, pages: readonly Page[]): Promise<void> {
  await db.pool.query(`
    insert into organizations (id, slug, name) values ('${orgId}', 'bench', 'Bench') on conflict do nothing;
    delete from knowledge_notes;
    drop table if exists plain_notes;
    create table plain_notes (
      place integer primary key, org_id text not null, repo_filter text not null, enabled boolean not null, search tsvector not null)`);
  for (let from = 0; from < pages.length; from += 1_000) {
    const some = pages.slice(from, from + 1_000);
    const columns = [
      some.map((_, at) => from + at),
      ...(['name', 'trigger', 'body'] as const).map((field) => some.map((page) => page[field])),
    ];
    const source = 'unnest($1::int[], $2::text[], $3::text[], $4::text[]) as page (place, name, trigger, body)';
    await db.pool.query(
      `insert into knowledge_notes (id, org_id, name, trigger, body, created_by_type, created_by_id)
       select 'note_' || place, '${orgId}', name, trigger, body, 'system', '' from ${source}`,
      columns,
    );
    await db.pool.query(
      `insert into plain_notes
       select place, '${orgId}', '', true, setweight(to_tsvector('english', name), 'A') ||
         setweight(to_tsvector('english', trigger), 'B') || setweight(to_tsvector('english', body), 'D') from ${source}`,
      columns,
    );
  }
  await db.pool.query('create index on plain_notes using gin (search)');
  for (const table of ['knowledge_notes', 'knowledge_terms', 'plain_notes'])
    await db.pool.query(`vacuum analyze ${table}`);
}

/** Limits each note to its package's repository, in both tables. */
export async function filterNotes(db: Database, pages: readonly Page[]): Promise<void> {
  const places = [pages.map((_, at) => at), pages.map((page) => repositoryOf(page.package))];
  const source = 'unnest($1::int[], $2::text[]) as page (place, repo)';
  await db.pool.query(
    `update knowledge_notes set repo_filter = repo from ${source} where id = 'note_' || place`,
    places,
  );
  await db.pool.query(
    `update plain_notes set repo_filter = repo from ${source} where plain_notes.place = page.place`,
    places,
  );
  for (const table of ['knowledge_notes', 'plain_notes']) await db.pool.query(`vacuum analyze ${table}`);
}

/** Searches as PostgreSQL does by default: any word counts, ranked by `ts_rank` with its own weights. */
export async function searchPlainly(
  db: Database,
  { query, repo, limit }: { query: string; repo: string; limit: number },
): Promise<number[]> {
  const { rows } = await db.pool.query<{ place: number }>(
    `select place from plain_notes, cast(replace(plainto_tsquery('english', $2)::text, ' & ', ' | ') as tsquery) as words
     where org_id = $1 and enabled and repo_filter in ('', $3) and search @@ words
     order by ts_rank(search, words) desc, place limit $4`,
    [orgId, query, repo, limit],
  );
  return rows.map(({ place }) => place);
}

/** Returns the wanted number of pages; if there are too few, repeats them with every second long word reversed. */
export function upTo(count: number, pages: readonly Page[]): Page[] {
  return Array.from({ length: count }, (_, at) => {
    const page = pages[at % pages.length];
    if (page === undefined) throw new Error('there are no pages');
    if (at < pages.length) return page;
    return { ...page, name: turned(page.name), trigger: turned(page.trigger), body: turned(page.body) };
  });
}

function turned(text: string): string {
  let count = 0;
  return text.replace(/[A-Za-z]{5,}/g, (word) =>
    (count += 1) % 2 === 0 ? word : Array.from(word).toReversed().join(''),
  );
}
