import type { Transaction } from 'kysely';
import type { Actor } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import { countRows } from '../../../db/count.ts';
import type { DB } from '../../../db/types.ts';
import { notFound } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import { paginate, type PageQuery } from '../../../lib/paging.ts';
import { artifactsQuery, listArtifactRows, readArtifact } from '../store/artifact-store.ts';
import type { NewArtifact } from '../run/run-service.ts';
import { appendEvents } from '../store/log-store.ts';
import { insertArtifact } from '../store/run-store.ts';
import { requireSession, type SessionContext } from './service.ts';

export async function listArtifacts(ctx: SessionContext, caller: Actor, sessionId: string, query: PageQuery) {
  const orgId = caller.organization.id;
  await requireSession(ctx, orgId, sessionId);
  const rows = artifactsQuery(ctx.db.kysely, orgId, sessionId);
  return paginate({
    list: 'session_artifacts',
    filters: { sessionId },
    query,
    rows: (after, limit) => listArtifactRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
}

/** Adds an artifact whose content is in the blob store to a session, running or not; returns its id. */
export async function addArtifact(
  trx: Transaction<DB>,
  { orgId, sessionId, artifact, now }: { orgId: string; sessionId: string; artifact: NewArtifact; now: Date },
): Promise<string> {
  const id = newId('art', now.getTime());
  const { name, contentType: content_type, sizeBytes: size_bytes, sha256, blob } = artifact;
  await appendEvents(trx, sessionId, null, [
    { kind: 'artifact', data: { artifact_id: id, name, content_type, size_bytes } },
  ]);
  const row = { id, org_id: orgId, session_id: sessionId, name, content_type, size_bytes, sha256, blob };
  await insertArtifact(trx, { ...row, created_at: now });
  return id;
}

/**
 * Returns an artifact and its bytes as a stream, which the caller must read or destroy. Throws 404
 * `artifact_not_found`.
 */
export async function openArtifact(
  ctx: SessionContext & Pick<Context, 'blobs'>,
  caller: Actor,
  sessionId: string,
  id: string,
) {
  const orgId = caller.organization.id;
  await requireSession(ctx, orgId, sessionId);
  const artifact = await readArtifact(ctx.db.kysely, orgId, sessionId, id);
  const content = artifact === undefined ? undefined : await ctx.blobs.get(artifact.blob);
  if (artifact === undefined || content === undefined) throw notFound('artifact', id);
  return { artifact, content };
}
