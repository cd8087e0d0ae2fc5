import type { Kysely } from 'kysely';
import { newestFirst } from '../../../db/page.ts';
import type { DB } from '../../../db/types.ts';

const shown = ['id', 'name', 'content_type', 'size_bytes', 'sha256', 'created_at'] as const;

export function artifactsQuery(db: Kysely<DB>, orgId: string, sessionId: string) {
  return db.selectFrom('session_artifacts').where('org_id', '=', orgId).where('session_id', '=', sessionId);
}

export async function listArtifactRows(
  query: ReturnType<typeof artifactsQuery>,
  after: string | undefined,
  limit: number,
) {
  return newestFirst(query.select(shown), after, limit).execute();
}

export async function readArtifact(db: Kysely<DB>, orgId: string, sessionId: string, id: string) {
  return artifactsQuery(db, orgId, sessionId)
    .select([...shown, 'blob'])
    .where('id', '=', id)
    .executeTakeFirst();
}
