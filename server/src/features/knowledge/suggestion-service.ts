import type { Transaction } from 'kysely';
import type { Actor, Caller } from '../../caller.ts';
import { countRows } from '../../db/count.ts';
import type { DB } from '../../db/types.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { filterValues } from '../../lib/filters.ts';
import { paginate } from '../../lib/paging.ts';
import { mutate } from '../../mutation/mutate.ts';
import { requireContent } from './note-rules.ts';
import { addNote, contentOf, auditedName, type NoteContext } from './service.ts';
import { suggestionStatuses, type AcceptSuggestion, type SuggestionQuery } from './schemas.ts';
import { decideSuggestion, listSuggestionRows, lockSuggestion, suggestionsQuery } from './suggestion-store.ts';

type SuggestionRow = NonNullable<Awaited<ReturnType<typeof lockSuggestion>>>;

export async function listSuggestions(ctx: NoteContext, caller: Actor, query: SuggestionQuery) {
  const orgId = caller.organization.id;
  const { status } = query;
  const rows = suggestionsQuery(ctx.db.kysely, orgId, filterValues('status', status, suggestionStatuses));
  const page = await paginate({
    list: 'knowledge_suggestions',
    filters: { orgId, status },
    query,
    rows: (after, limit) => listSuggestionRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
  return { ...page, items: page.items.map(toApiShape) };
}

/**
 * Creates a note from a suggestion, with the caller's changes. By default it applies to the session's repository. Throws 404
 * `suggestion_not_found`, 409 `conflict` if it was already decided.
 */
export async function acceptSuggestion(ctx: NoteContext, caller: Caller, id: string, input: AcceptSuggestion) {
  requireContent(input, caller);
  return mutate(ctx, caller, async (trx, audit) => {
    const { name, trigger, body, repo } = await requirePending(trx, caller, id);
    const { scope = repo === '' ? 'organization' : 'repository' } = input;
    const place = { scope, repo_filter: scope === 'organization' ? '' : repo };
    const content = contentOf({ name, trigger, body, ...place, ...input });
    requireContent(content, caller);
    const note = await addNote(ctx, trx, caller, content, 'suggestion');
    await decideSuggestion(trx, id, decisionOf(ctx, caller, 'accepted', note.note_id));
    audit({
      action: 'suggestion.accept',
      resource: { type: 'suggestion', id },
      changes: { ...auditedName(content), note_id: note.note_id },
    });
    return note;
  });
}

/** Throws 404 `suggestion_not_found`, 409 `conflict` if it was already decided. */
export async function dismissSuggestion(ctx: NoteContext, caller: Caller, id: string) {
  return mutate(ctx, caller, async (trx, audit) => {
    const { name } = await requirePending(trx, caller, id);
    const row = await decideSuggestion(trx, id, decisionOf(ctx, caller, 'dismissed', null));
    audit({ action: 'suggestion.dismiss', resource: { type: 'suggestion', id }, changes: { name } });
    return toApiShape(row);
  });
}

function decisionOf(
  ctx: Pick<NoteContext, 'clock'>,
  { principal }: Actor,
  status: 'accepted' | 'dismissed',
  noteId: string | null,
) {
  const by = { decided_by_type: principal.type, decided_by_id: principal.id };
  return { status, note_id: noteId, ...by, decided_at: ctx.clock.now() };
}

async function requirePending(trx: Transaction<DB>, { organization }: Actor, id: string): Promise<SuggestionRow> {
  const row = await lockSuggestion(trx, organization.id, id);
  if (row === undefined) throw notFound('suggestion', id);
  if (row.status !== 'pending') throw new AppError('conflict', `This suggestion is already ${row.status}.`);
  return row;
}

function toApiShape(row: SuggestionRow) {
  return { ...row, session_id: row.session_id ?? '', note_id: row.note_id ?? '', decided_by: row.decided_by ?? {} };
}
