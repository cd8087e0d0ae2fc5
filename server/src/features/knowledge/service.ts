import type { Transaction } from 'kysely';
import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import type { DB } from '../../db/types.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { filterValues, flagValue, repositoryValues } from '../../lib/filters.ts';
import { newId } from '../../lib/ids.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { mutate } from '../../mutation/mutate.ts';
import { requireMatch } from '../../mutation/precondition.ts';
import { differences, requireContent, type NoteContent } from './note-rules.ts';
import { passesFilter } from './repository-filter.ts';
import {
  scopes,
  type KnowledgeNoteQuery,
  type NoteFilters,
  type UpdateKnowledgeNote,
  type WriteKnowledgeNote,
} from './schemas.ts';
import {
  deleteNoteRow,
  insertNotes,
  keepRevisions,
  listNoteRows,
  listRepoFilters,
  listRevisionRows,
  lockNote,
  notesQuery,
  readNote,
  readRevision,
  revisionsQuery,
  updateNote,
} from './store.ts';

export type NoteContext = Pick<Context, 'db' | 'clock'>;
type NoteRow = NonNullable<Awaited<ReturnType<typeof readNote>>>;
export type NoteSource = 'user' | 'suggestion' | 'import';

/** Returns the owner of a principal's own notes: only users have them. */
export function ownerOf({ type, id }: { readonly type: string; readonly id: string }): string {
  return type === 'user' ? id : '';
}

export async function listNotes(ctx: NoteContext, caller: Actor, query: KnowledgeNoteQuery) {
  const { first: _first, after: _after, ...filters } = query;
  const rows = await notesFor(ctx, caller, filters);
  const page = await paginate({
    list: 'knowledge_notes',
    filters: { orgId: caller.organization.id, userId: ownerOf(caller.principal), ...filters },
    query,
    rows: (after, limit) => listNoteRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
  return { ...page, items: page.items.map(toApiShape) };
}

/** Returns the notes that a caller may see, filtered. */
export async function notesFor(ctx: Pick<Context, 'db'>, { organization, principal }: Actor, filters: NoteFilters) {
  const { search, scope, repo, enabled } = filters;
  const db = ctx.db.kysely;
  const userId = ownerOf(principal);
  const repositories = repositoryValues('repo', repo);
  const repoFilters =
    repositories.length === 0
      ? undefined
      : (await listRepoFilters(db, organization.id, userId)).filter((filter) => passesFilter(filter, repositories));
  const only = { scopes: filterValues('scope', scope, scopes), enabled: flagValue('enabled', enabled) };
  const wanted = { search, repoFilters, ...only };
  return notesQuery(db, organization.id, userId, wanted);
}

/** Throws 404 `knowledge_note_not_found`, also for another user's own note, like all functions here. */
export async function getNote(ctx: Pick<Context, 'db'>, { organization, principal }: Actor, id: string) {
  const row = await readNote(ctx.db.kysely, organization.id, ownerOf(principal), id);
  if (row === undefined) throw notFound('knowledge_note', id);
  return toApiShape(row);
}

/** Throws 400 `invalid_request` for invalid content. */
export async function createNote(ctx: NoteContext, caller: Caller, input: WriteKnowledgeNote) {
  const content = contentOf(input);
  requireContent(content, caller);
  return mutate(ctx, caller, async (trx, audit) => {
    const note = await addNote(ctx, trx, caller, content, 'user');
    const { scope, repo_filter } = content;
    audit({
      action: 'knowledge_note.create',
      resource: { type: 'knowledge_note', id: note.note_id },
      changes: { ...auditedName(content), scope, repo_filter },
      data: eventData(caller, content),
    });
    return note;
  });
}

/** Creates a note from validated content, in the caller's transaction. */
export async function addNote(
  ctx: Pick<Context, 'clock'>,
  trx: Transaction<DB>,
  caller: Actor,
  content: NoteContent,
  source: NoteSource,
) {
  const row = newRow(caller, content, source, ctx.clock.now());
  await insertNotes(trx, [row]);
  await keepRevisions(trx, [row.id], caller.principal);
  return noteIn(trx, caller, row.id);
}

/** Returns the name that the audit log may show; its readers may not be the owner of the note. */
export function auditedName({ name, scope }: Pick<NoteContent, 'name' | 'scope'>): { name?: string } {
  return scope === 'user' ? {} : { name };
}

/** Returns the data of an event: the owner of a note that nobody else could or can see, else `''`. */
export function eventData({ principal }: Actor, ...states: { scope: string }[]): { owner: string } {
  return { owner: states.every(({ scope }) => scope === 'user') ? `${principal.type}:${principal.id}` : '' };
}

/** The row of a new note. */
export function newRow({ organization, principal }: Actor, content: NoteContent, source: NoteSource, now: Date) {
  return {
    id: newId('note', now.getTime()),
    org_id: organization.id,
    ...content,
    user_id: content.scope === 'user' ? principal.id : null,
    source,
    created_by_type: principal.type,
    created_by_id: principal.id,
    created_at: now,
    updated_at: now,
  };
}

/** Replaces a note; omitted fields get their defaults. Throws 400 `invalid_request`, 412 `revision_conflict`. */
export async function replaceNote(ctx: NoteContext, caller: Caller, id: string, input: WriteKnowledgeNote) {
  const content = contentOf(input);
  requireContent(content, caller);
  return changeNote(ctx, caller, id, () => content);
}

/** Updates a note; omitted fields stay unchanged. Throws 400 `invalid_request`, 412 `revision_conflict`. */
export async function updateKnowledgeNote(ctx: NoteContext, caller: Caller, id: string, input: UpdateKnowledgeNote) {
  requireContent(input, caller);
  return changeNote(ctx, caller, id, (before) => contentOf({ ...before, ...input }));
}

async function changeNote(ctx: NoteContext, caller: Caller, id: string, after: (before: NoteContent) => NoteContent) {
  return mutate(ctx, caller, async (trx, audit) => {
    const before = await requireLocked(trx, caller, id);
    await requireMatch(caller, () => toApiShape(before));
    const content = after(before);
    const changed = differences(before, content);
    // Repeated requests create no revision.
    if (changed.length === 0) return toApiShape(before);
    await revise(ctx, trx, caller, before, content);
    audit({
      action: 'knowledge_note.update',
      resource: { type: 'knowledge_note', id },
      changes: { ...auditedName(content), fields: changed },
      data: eventData(caller, before, content),
    });
    return noteIn(trx, caller, id);
  });
}

/** Creates the next revision of a locked note. */
async function revise(
  ctx: Pick<Context, 'clock'>,
  trx: Transaction<DB>,
  { principal }: Actor,
  before: Pick<NoteRow, 'id' | 'revision'>,
  content: NoteContent,
): Promise<void> {
  const { name, trigger, body, scope, repo_filter, enabled } = content;
  await updateNote(trx, before.id, {
    name,
    trigger,
    body,
    scope,
    repo_filter,
    enabled,
    user_id: scope === 'user' ? principal.id : null,
    revision: before.revision + 1,
    updated_at: ctx.clock.now(),
  });
  await keepRevisions(trx, [before.id], principal);
}

/** Deletes a note with all its revisions. */
export async function deleteNote(ctx: NoteContext, caller: Caller, id: string): Promise<null> {
  return mutate(ctx, caller, async (trx, audit) => {
    const before = await requireLocked(trx, caller, id);
    await requireMatch(caller, () => toApiShape(before));
    await deleteNoteRow(trx, id);
    audit({
      action: 'knowledge_note.delete',
      resource: { type: 'knowledge_note', id },
      changes: auditedName(before),
      data: eventData(caller, before),
    });
    return null;
  });
}

/** Newest first, without another user's own revisions. */
export async function listNoteVersions(ctx: NoteContext, caller: Actor, id: string, query: PageQuery) {
  await getNote(ctx, caller, id);
  const userId = ownerOf(caller.principal);
  const rows = revisionsQuery(ctx.db.kysely, caller.organization.id, userId, id);
  const page = await paginate({
    list: 'knowledge_note_versions',
    filters: { id, orgId: caller.organization.id, userId },
    query,
    rows: (after, limit) => listRevisionRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
  return {
    ...page,
    items: page.items.map(({ id: _id, ...version }) => version),
  };
}

/** Creates a revision with the content of an earlier one, unless the note has it already. Throws 412 `revision_conflict`. */
export async function restoreNote(ctx: NoteContext, caller: Caller, id: string, revision: number) {
  const orgId = caller.organization.id;
  return mutate(ctx, caller, async (trx, audit) => {
    const before = await requireLocked(trx, caller, id);
    const version = await readRevision(trx, orgId, ownerOf(caller.principal), id, revision);
    if (version === undefined)
      throw new AppError('knowledge_note_not_found', `Revision ${revision} of this knowledge note does not exist.`);
    await requireMatch(caller, () => toApiShape(before));
    requireContent(version, caller);
    if (differences(before, version).length === 0) return toApiShape(before);
    await revise(ctx, trx, caller, before, version);
    audit({
      action: 'knowledge_note.restore',
      resource: { type: 'knowledge_note', id },
      changes: { ...auditedName(version), restored: revision, revision: before.revision + 1 },
      data: eventData(caller, before, version),
    });
    return noteIn(trx, caller, id);
  });
}

async function requireLocked(trx: Transaction<DB>, { organization, principal }: Actor, id: string): Promise<NoteRow> {
  const row = await lockNote(trx, organization.id, ownerOf(principal), id);
  if (row === undefined) throw notFound('knowledge_note', id);
  return row;
}

async function noteIn(trx: Transaction<DB>, { organization, principal }: Actor, id: string) {
  const row = await readNote(trx, organization.id, ownerOf(principal), id);
  if (row === undefined) throw notFound('knowledge_note', id);
  return toApiShape(row);
}

/** Returns the content of a request, with defaults for omitted fields. */
export function contentOf(input: WriteKnowledgeNote): NoteContent {
  const { name, trigger, body, scope = 'organization', repo_filter = '', enabled = true } = input;
  return { name, trigger, body, scope, repo_filter: repo_filter.trim(), enabled };
}

/** Returns a note in its API shape. */
export function toApiShape(row: NoteRow) {
  const { id, user_id: _userId, ...note } = row;
  return { note_id: id, ...note };
}
