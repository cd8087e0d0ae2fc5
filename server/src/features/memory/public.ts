import { createHash } from 'node:crypto';
import type { Context } from '../../app/context.ts';
import { newId } from '../../lib/ids.ts';
import { whileHeld, type Run } from '../sessions/run/run-service.ts';
import {
  insertGenerated,
  listGeneratedAt,
  listGeneratedRows,
  lockGenerated,
  readGenerated,
  supersedeExcess,
  supersedeGenerated,
} from './generated-store.ts';
import { insertProjections, listProjectable, noteMaterialized, readRevisions } from './projection-store.ts';
import type { MemoryPlace } from './schemas.ts';

type MemoryContext = Pick<Context, 'db' | 'clock'>;

/** A revision of a note, as given to sessions. */
export type NoteRevision = Awaited<ReturnType<typeof readRevisions>>[number];

/** A file that an agent generated for a repository. */
export type GeneratedFile = MemoryPlace & Awaited<ReturnType<typeof listGeneratedRows>>[number];

/** Limit of a repository's note files per session: enough for years, and small on disk. */
const maxFiles = 1_000;
const maxBytes = 16 * 1_048_576;

/** Maximum number of files kept per agent and repository: the newest. */
const maxGenerated = 30;

/**
 * Returns the memory of a session on these repositories: every revision of their notes and tombstones of deleted ones, newest
 * revisions first, up to the limit. `left` counts the revisions that did not fit, up to a bound.
 */
export async function memoryForSession(
  ctx: Pick<MemoryContext, 'db'>,
  orgId: string,
  places: readonly MemoryPlace[],
): Promise<{ revisions: NoteRevision[]; left: number }> {
  const found = await Promise.all(places.map((place) => listProjectable(ctx.db.kysely, orgId, place, maxFiles + 1)));
  let bytes = 0;
  const all = found.flat();
  const chosen = all
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, maxFiles)
    .filter((row) => {
      if (bytes + row.bytes > maxBytes) return false;
      bytes += row.bytes;
      return true;
    });
  return { revisions: await memoryAt(ctx, orgId, chosen), left: all.length - chosen.length };
}

/** Returns these revisions, oldest first; deleted ones are omitted. */
export async function memoryAt(
  ctx: Pick<MemoryContext, 'db'>,
  orgId: string,
  wanted: readonly { memory_id: string; revision: number }[],
): Promise<NoteRevision[]> {
  const rows = await readRevisions(ctx.db.kysely, orgId, wanted);
  const order = ({ created_at, memory_id, revision }: NoteRevision) =>
    `${created_at.toISOString()} ${memory_id} ${String(revision).padStart(10, '0')}`;
  return rows.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
}

/** Records the revisions in the files of a session's home. Throws `LeaseLost`. */
export async function recordProjections(
  ctx: MemoryContext,
  run: Run,
  files: readonly { memory_id: string; revision: number; path: string; sha256: string }[],
): Promise<void> {
  if (files.length === 0) return;
  await whileHeld(ctx, run, async (trx) => {
    const now = ctx.clock.now();
    const rows = files.map(({ memory_id, revision, path, sha256 }) => ({
      session_id: run.id,
      memory_id,
      revision,
      path,
      org_id: run.orgId,
      sha256,
      created_at: now,
    }));
    await insertProjections(trx, rows);
    await noteMaterialized(trx, run.orgId, files, now);
  });
}

/** Returns the current generated memory of these repositories. */
export async function generatedFor(
  ctx: Pick<MemoryContext, 'db'>,
  orgId: string,
  places: readonly MemoryPlace[],
): Promise<GeneratedFile[]> {
  const found = await Promise.all(
    places.map(async (place) =>
      (await listGeneratedRows(ctx.db.kysely, orgId, place)).map((row) => ({ ...row, ...place })),
    ),
  );
  return found.flat();
}

/** Returns generated files as given to a session; deleted ones are omitted. */
export async function generatedAt(
  ctx: Pick<MemoryContext, 'db'>,
  orgId: string,
  places: readonly MemoryPlace[],
  hashes: readonly string[],
): Promise<GeneratedFile[]> {
  const found = await Promise.all(
    places.map(async (place) =>
      (await listGeneratedAt(ctx.db.kysely, orgId, place, hashes)).map((row) => ({ ...row, ...place })),
    ),
  );
  return found.flat();
}

/**
 * Stores a file that an agent generated for a repository, in place of its earlier version; `content` computes it from that
 * version (`''` for none), under a lock. Equal content changes nothing. Throws `LeaseLost`.
 */
export async function keepGenerated(
  ctx: MemoryContext,
  run: Run,
  place: MemoryPlace,
  files: readonly { agent: string; path: string; content: (before: string) => string }[],
): Promise<void> {
  if (files.length === 0) return;
  await whileHeld(ctx, run, async (trx) => {
    await lockGenerated(trx, run.orgId);
    const now = ctx.clock.now();
    for (const { agent, path, content: contentFrom } of files) {
      const before = await readGenerated(trx, run.orgId, place, agent, path);
      const content = contentFrom(before?.content ?? '');
      const sha256 = createHash('sha256').update(content).digest('hex');
      if (content === '' || sha256 === before?.sha256) continue;
      if (before !== undefined) await supersedeGenerated(trx, before.id, now);
      await insertGenerated(trx, {
        id: newId('mem', now.getTime()),
        org_id: run.orgId,
        ...place,
        agent,
        path,
        content,
        sha256,
        updated_at: now,
      });
    }
    for (const agent of new Set(files.map((file) => file.agent)))
      await supersedeExcess(trx, run.orgId, place, agent, { keep: maxGenerated, now });
  });
}
