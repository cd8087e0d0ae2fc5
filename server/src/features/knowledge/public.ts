import type { Transaction } from 'kysely';
import type { Actor } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { notFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { recordSystemAct, type AuditFact } from '../../mutation/mutate.ts';
import { settingsOf } from '../settings/service.ts';
import type { GivenNote } from './given.ts';
import { rankNotes, type RankedNote } from './ranking.ts';
import { ownerOf, toApiShape } from './service.ts';
import { maxBodyBytes, maxNameLength, maxTriggerLength } from './schemas.ts';
import {
  countSuggestionsOf,
  countUses,
  deleteNotesOf,
  insertSuggestion,
  listEnabled,
  readNotes,
  readRevisions,
} from './session-store.ts';
import { findNotes } from './store.ts';
import type { NamedRepository } from '../../lib/providers.ts';

/** Maximum number of matches that a search counts. */
const mostCounted = 200;

/** A note as given to a session. */
export type SessionNote = GivenNote & { readonly trigger: string; readonly body: string };

/** Finds the notes that match a query and that the caller may see: best first, `score` from 0 to 1. */
export async function searchKnowledge(
  ctx: Pick<Context, 'db'>,
  { organization, principal }: Actor,
  input: { query: string; repositories: readonly NamedRepository[] | null; limit: number },
) {
  const [orgId, userId] = [organization.id, ownerOf(principal)];
  const ranked = await rankNotes(ctx.db.kysely, {
    orgId,
    userId,
    query: input.query,
    repositories: input.repositories,
    limit: mostCounted,
  });
  const best = ranked.slice(0, input.limit);
  const ids = best.map(({ note_id }) => note_id);
  const rows = new Map((await findNotes(ctx.db.kysely, orgId, userId, ids)).map((row) => [row.id, toApiShape(row)]));
  const items = best.flatMap(({ note_id, score, reason }) => {
    const note = rows.get(note_id);
    return note === undefined ? [] : [{ note, score, reason }];
  });
  return { items, total: ranked.length };
}

/**
 * Returns the notes of a session, best first, and counts their use. With `ids` exactly these, as far as the session's user may
 * see them; without (null) the best `limit` for its prompt and repositories.
 */
export async function knowledgeForSession(
  ctx: Pick<Context, 'db' | 'clock'>,
  session: {
    orgId: string;
    sessionId: string;
    account: { readonly type: string; readonly id: string };
    prompt: string;
    repositories: readonly NamedRepository[];
    ids: readonly string[] | null;
    limit: number;
  },
): Promise<SessionNote[]> {
  const { orgId, sessionId, account, prompt, repositories, ids, limit } = session;
  const userId = ownerOf(account);
  const wanted = { orgId, userId, query: prompt, repositories };
  const ranked = await rankNotes(ctx.db.kysely, { ...wanted, limit: ids === null ? limit : chosenRanked });
  const order = ids === null ? ranked : chosenInOrder(ids, ranked);
  if (order.length === 0) return [];
  const noteIds = order.map(({ note_id }) => note_id);
  const notes = new Map((await readNotes(ctx.db.kysely, orgId, userId, noteIds)).map((note) => [note.note_id, note]));
  const use = { orgId, sessionId, noteIds: [...notes.keys()], now: ctx.clock.now() };
  await ctx.db.transaction((trx) => countUses(trx, use));
  return order.flatMap(({ note_id, score, reason }) => {
    const note = notes.get(note_id);
    return note === undefined ? [] : [{ ...note, score, reason }];
  });
}

/** Returns these revisions of notes that still exist. */
export async function notesAt(
  ctx: Pick<Context, 'db'>,
  orgId: string,
  wanted: readonly { readonly note_id: string; readonly revision: number }[],
): Promise<Omit<SessionNote, 'score' | 'reason'>[]> {
  return readRevisions(ctx.db.kysely, orgId, wanted);
}

/**
 * Throws 404 `knowledge_note_not_found` for the first note that belongs to another organization or to another user than the
 * session's.
 */
export async function requireNotes(
  ctx: Pick<Context, 'db'>,
  { organization, principal }: Pick<Actor, 'organization' | 'principal'>,
  ids: readonly string[],
  account: { readonly type: string; readonly id: string } = principal,
): Promise<void> {
  const rows = await readNotes(ctx.db.kysely, organization.id, ownerOf(account), ids);
  const there = new Set(rows.map(({ note_id }) => note_id));
  const missing = ids.find((id) => !there.has(id));
  if (missing !== undefined) throw notFound('knowledge_note', missing);
}

/**
 * Adds a suggestion from a session; longer text is truncated. Returns its id; undefined if the organization disabled
 * suggestions, this session already made it, or an equal one is pending or was dismissed.
 */
export async function addSuggestion(
  ctx: Pick<Context, 'db' | 'clock'>,
  orgId: string,
  found: { sessionId: string; name: string; trigger: string; body: string; repo: string },
): Promise<string | undefined> {
  const { auto_suggest } = await settingsOf(ctx.db.kysely, orgId, 'knowledge');
  const body = cutBytes(clean(found.body), maxBodyBytes).trim();
  const name = cut(clean(found.name), maxNameLength);
  const trigger = cut(clean(found.trigger), maxTriggerLength);
  if (!auto_suggest || body === '' || name === '' || trigger === '') return undefined;
  const now = ctx.clock.now();
  const id = newId('sug', now.getTime());
  const { sessionId, repo } = found;
  return ctx.db.transaction(async (trx) => {
    const row = { id, org_id: orgId, session_id: sessionId, name, trigger, body, repo, created_at: now };
    if ((await insertSuggestion(trx, row)) === undefined) return undefined;
    const changes = { session_id: sessionId, name };
    const fact: AuditFact = { action: 'suggestion.create', resource: { type: 'suggestion', id }, changes };
    await recordSystemAct(trx, orgId, 'session', fact, now);
    return id;
  });
}

/** Returns the organization's shared, enabled notes, oldest first, as a blueprint lists them. */
export async function enabledNotes(ctx: Pick<Context, 'db'>, orgId: string) {
  return listEnabled(ctx.db.kysely, orgId);
}

/** Counts the notes that a session suggested so far. */
export async function countSuggestions(ctx: Pick<Context, 'db'>, orgId: string, sessionId: string): Promise<number> {
  return countSuggestionsOf(ctx.db.kysely, orgId, sessionId);
}

/** Deletes the notes of a user who left the organization; nobody else could see them. */
export async function deleteMemberNotes(trx: Transaction<DB>, orgId: string, userId: string): Promise<void> {
  await deleteNotesOf(trx, orgId, userId);
}

/** Number of notes that are ranked to order the chosen ones. */
const chosenRanked = 200;

function chosenInOrder(ids: readonly string[], ranked: readonly RankedNote[]): RankedNote[] {
  const chosen = new Set(ids);
  const found = ranked.filter(({ note_id }) => chosen.has(note_id));
  for (const { note_id } of found) chosen.delete(note_id);
  const rest = [...chosen].map((note_id) => ({ note_id, score: 0, reason: 'chosen for the session' }));
  return [...found.map((note) => ({ ...note, reason: `chosen for the session; ${note.reason}` })), ...rest];
}

/** Removes or replaces characters that the database cannot store in text. */
function clean(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '').trim();
}

function cut(text: string, length: number): string {
  const characters = Array.from(text);
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
}

function cutBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  // Drops half of a surrogate pair.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, bytes)).replace(/\uFFFD{1,3}$/, '');
}
