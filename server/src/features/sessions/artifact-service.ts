import type { Caller } from '../../caller.ts';
import type { Context } from '../../context.ts';
import { countRows } from '../../db/count.ts';
import { notFound } from '../../lib/errors.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { artifactsQuery, listArtifactRows, readArtifact } from './artifact-store.ts';
import { requireSession, type SessionContext } from './service.ts';

export async function listArtifacts(ctx: SessionContext, caller: Caller, sessionId: string, query: PageQuery) {
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

/** An artifact and its bytes as a stream, which the caller must read or destroy. Throws 404 `artifact_not_found`. */
export async function openArtifact(
  ctx: SessionContext & Pick<Context, 'blobs'>,
  caller: Caller,
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
