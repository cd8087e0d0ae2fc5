import type { Kysely } from 'kysely';
import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import type { DB } from '../../db/types.ts';
import { notFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { paginate } from '../../lib/paging.ts';
import { mutate } from '../../mutation/mutate.ts';
import { requireMatch } from '../../mutation/precondition.ts';
import { requireSession } from '../sessions/api/service.ts';
import { deleteGeneratedRows, listGeneratedRows } from './generated-store.ts';
import { listProjectionRows } from './projection-store.ts';
import { contentOf, requirePlace, titleOf } from './rules.ts';
import type { CreateMemoryNote, MemoryPlace, MemoryQuery, UpdateMemoryNote } from './schemas.ts';
import { insertNote, insertRevision, listNoteRows, lockNote, notesQuery, readNote, updateNoteRow } from './store.ts';

type MemoryContext = Pick<Context, 'db' | 'clock'>;
type NoteRow = NonNullable<Awaited<ReturnType<typeof readNote>>>;

/** Lists the notes of one repository. */
export async function listNotes(ctx: MemoryContext, caller: Actor, query: MemoryQuery) {
  const orgId = caller.organization.id;
  const { repo, provider } = query;
  requirePlace(query);
  const rows = notesQuery(ctx.db.kysely, orgId, { repo, provider });
  const page = await paginate({
    list: 'memory_notes',
    filters: { orgId, repo: repo.toLowerCase(), provider },
    query,
    rows: (after, limit) => listNoteRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
  return { repo, provider, ...page, items: page.items.map(itemOf) };
}

/** Throws 404 `memory_note_not_found`, like all functions here that take an id. */
export async function getNote(ctx: MemoryContext, caller: Actor, id: string) {
  return noteOf(await requireNote(ctx.db.kysely, caller.organization.id, id));
}

/** Throws 400 `content_required`, `content_too_large`, `title_too_long`. */
export async function createNote(ctx: MemoryContext, caller: Caller, input: CreateMemoryNote) {
  const orgId = caller.organization.id;
  const { repo, provider } = input;
  requirePlace(input);
  const content = contentOf(input.content);
  const title = titleOf(input.title);
  return mutate(ctx, caller, async (trx, audit) => {
    const now = ctx.clock.now();
    const id = newId('mem', now.getTime());
    await insertNote(trx, { id, org_id: orgId, provider, repo, created_at: now, updated_at: now });
    await insertRevision(trx, { ...revisionOf(caller, id, 1, now), title, content });
    audit({ action: 'memory_note.create', resource: { type: 'memory_note', id }, changes: { repo, provider, title } });
    return noteOf(await requireNote(trx, orgId, id));
  });
}

/** Creates a new revision unless nothing changes. Throws 412 `revision_conflict`. */
export async function updateNote(ctx: MemoryContext, caller: Caller, id: string, input: UpdateMemoryNote) {
  const orgId = caller.organization.id;
  const sent = {
    ...(input.content === undefined ? {} : { content: contentOf(input.content) }),
    ...(input.title === undefined ? {} : { title: titleOf(input.title) }),
  };
  return mutate(ctx, caller, async (trx, audit) => {
    await lockNote(trx, orgId, id);
    const before = await requireNote(trx, orgId, id);
    await requireMatch(caller, () => noteOf(before));
    const { title, content } = { ...before, ...sent };
    const changed = [...(title === before.title ? [] : ['title']), ...(content === before.content ? [] : ['content'])];
    if (changed.length === 0) return noteOf(before);
    const now = ctx.clock.now();
    const revision = before.revision + 1;
    await insertRevision(trx, { ...revisionOf(caller, id, revision, now), title, content });
    await updateNoteRow(trx, orgId, id, { revision, updated_at: now });
    audit({ action: 'memory_note.update', resource: { type: 'memory_note', id }, changes: { fields: changed } });
    return noteOf(await requireNote(trx, orgId, id));
  });
}

/** Deletes a note; sessions that start later are told about it. */
export async function deleteNote(ctx: MemoryContext, caller: Caller, id: string): Promise<null> {
  const orgId = caller.organization.id;
  return mutate(ctx, caller, async (trx, audit) => {
    await lockNote(trx, orgId, id);
    const before = await requireNote(trx, orgId, id);
    await requireMatch(caller, () => noteOf(before));
    const { title, repo, provider } = before;
    const now = ctx.clock.now();
    const revision = before.revision + 1;
    await insertRevision(trx, { ...revisionOf(caller, id, revision, now), title, content: '', deleted: true });
    await updateNoteRow(trx, orgId, id, { revision, deleted_at: now, updated_at: now });
    audit({ action: 'memory_note.delete', resource: { type: 'memory_note', id }, changes: { repo, provider } });
    return null;
  });
}

/** Lists generated memory of a repository. */
export async function listGenerated(ctx: MemoryContext, caller: Actor, place: MemoryPlace) {
  requirePlace(place);
  const { repo, provider } = place;
  const items = await listGeneratedRows(ctx.db.kysely, caller.organization.id, place);
  return { repo, provider, items, total: items.length };
}

export async function deleteGenerated(ctx: MemoryContext, caller: Caller, place: MemoryPlace): Promise<null> {
  requirePlace(place);
  const { repo, provider } = place;
  return mutate(ctx, caller, async (trx, audit) => {
    const files = await deleteGeneratedRows(trx, caller.organization.id, place);
    audit({
      action: 'memory_generated.delete',
      resource: { type: 'memory_generated', id: `${provider}:${repo}` },
      changes: { files },
    });
    return null;
  });
}

/** Throws 404 `session_not_found`. */
export async function listProjections(ctx: MemoryContext, caller: Actor, sessionId: string) {
  const orgId = caller.organization.id;
  await requireSession(ctx, orgId, sessionId);
  const items = await listProjectionRows(ctx.db.kysely, orgId, sessionId);
  return { items, total: items.length };
}

async function requireNote(db: Kysely<DB>, orgId: string, id: string): Promise<NoteRow> {
  const row = await readNote(db, orgId, id);
  if (row === undefined) throw notFound('memory_note', id);
  return row;
}

function revisionOf(caller: Actor, id: string, revision: number, now: Date) {
  const { type, id: principal } = caller.principal;
  return {
    memory_id: id,
    revision,
    org_id: caller.organization.id,
    created_by_type: type,
    created_by_id: principal,
    created_at: now,
  };
}

function noteOf(row: NoteRow) {
  const { repo, provider } = row;
  return { repo, provider, item: itemOf(row) };
}

function itemOf(row: NoteRow) {
  const { id, title, content, created_at, updated_at, revision, materialized_revision, materialized_at } = row;
  return { memory_id: id, title, content, created_at, updated_at, revision, materialized_revision, materialized_at };
}
