import { sql, type Kysely } from 'kysely';
import type { DB } from '../../db/types.ts';

/** The next files of an index after a path, with their lines. */
export async function nextFiles(db: Kysely<DB>, id: string, after: string, limit: number) {
  return db
    .selectFrom('index_files as f')
    .innerJoin('index_blobs as b', (join) =>
      join.onRef('b.repository_id', '=', 'f.repository_id').onRef('b.blob', '=', 'f.blob'),
    )
    .select(['f.path', 'f.blob', 'b.lines'])
    .where('f.repository_id', '=', id)
    .where('f.skipped', '=', '')
    .where('b.skipped', '=', '')
    .where('f.path', '>', after)
    .orderBy('f.path')
    .limit(limit)
    .execute();
}

interface Span {
  /** Paths of the files, the first excluded. */
  after: string;
  last: string;
  limit: number;
}

/** Exported definitions outside of others, of files in a span of paths. */
export async function symbolsIn(db: Kysely<DB>, id: string, { after, last, limit }: Span) {
  return db
    .selectFrom('index_files as f')
    .innerJoin('index_symbols as s', (join) =>
      join.onRef('s.repository_id', '=', 'f.repository_id').onRef('s.blob', '=', 'f.blob'),
    )
    .select(['f.path', 's.name', 's.kind', 's.line', 's.signature', 's.doc'])
    .where('f.repository_id', '=', id)
    .where('f.skipped', '=', '')
    .where('s.is_exported', '=', true)
    .where('s.container', '=', '')
    .where('f.path', '>', after)
    .where('f.path', '<=', last)
    .orderBy('f.path')
    .orderBy('s.line')
    .limit(limit)
    .execute();
}

export async function factsIn(db: Kysely<DB>, id: string, { after, last, limit }: Span) {
  return db
    .selectFrom('index_files as f')
    .innerJoin('index_facts as x', (join) =>
      join.onRef('x.repository_id', '=', 'f.repository_id').onRef('x.blob', '=', 'f.blob'),
    )
    .select(['f.path', 'x.name', 'x.detail', 'x.line', sql<'import' | 'route' | 'env'>`x.kind`.as('kind')])
    .where('f.repository_id', '=', id)
    .where('f.skipped', '=', '')
    .where('f.path', '>', after)
    .where('f.path', '<=', last)
    .orderBy('f.path')
    .orderBy('x.line')
    .limit(limit)
    .execute();
}
