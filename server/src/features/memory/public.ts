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

/** A revision of a note, as sessions are given it. */
export type NoteRevision = Awaited<ReturnType<typeof readRevisions>>[number];

/** A file that an agent generated for a repository. */
export type GeneratedFile = MemoryPlace & Awaited<ReturnType<typeof listGeneratedRows>>[number];

/** What one session is given of a repository's notes: enough for years of them, and small beside its disk. */
const maxFiles = 1_000;
const maxBytes = 16 * 1_048_576;

/** The most files of one agent that are kept for a repository: what it wrote last. */
const maxGenerated = 30;

/**
 * What a session on these repositories is given: every revision of their notes, and which notes were deleted, as far as
 * it fits; the newest revisions come first. `left` is how many revisions did not fit, more than that not counted.
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

/** Certain revisions, oldest first; those that are gone are missing. */
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

/** Puts on record which revisions lie in which files of a session's home. Throws `LeaseLost`. */
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

/** What agents generated for these repositories by now. */
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

/** Generated files as a session was given them; those that are gone are missing. */
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
 * Keeps what an agent generated for a repository, each file in the place of the one before; `content` makes it from that
 * one (`''` for none), and is called where no other run changes it. Nothing changes where it is the same. Throws
 * `LeaseLost`.
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
