import type { Actor } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { repositoryValues } from '../../lib/filters.ts';
import type { NamedRepository } from '../../lib/providers.ts';
import { settingsOf } from '../settings/service.ts';
import { searchKnowledge } from './public.ts';
import { rankNotes, type RankedNote } from './ranking.ts';
import { passesFilter } from './repository-filter.ts';
import type { SearchKnowledge, SearchKnowledgeQuery } from './schemas.ts';
import { ownerOf } from './service.ts';
import { listNewest, type NoteTraits } from './session-store.ts';

/** Bounds of the notes that are explained: those that match the prompt, and the newest of all. */
const mostRanked = 200;
const mostExplained = 100;

/** Returns the notes that a session with this prompt would be given. */
export async function searchForSession(ctx: Pick<Context, 'db'>, caller: Actor, { q, repo }: SearchKnowledgeQuery) {
  const repositories = repo === undefined ? null : repositoryValues('repo', repo);
  const { max_notes_per_session: limit } = await settingsOf(ctx.db.kysely, caller.organization.id, 'knowledge');
  const { items } = await searchKnowledge(ctx, caller, { query: q, repositories, limit });
  return { items, total: items.length };
}

/** Like {@link searchForSession}, with the notes that the session would not be given, each with a reason. */
export async function explainForSession(ctx: Pick<Context, 'db'>, caller: Actor, input: SearchKnowledge) {
  const [orgId, userId] = [caller.organization.id, ownerOf(caller.principal)];
  const { prompt, provider } = input;
  const named = input.repo === undefined ? null : repositoryValues('repo', input.repo);
  const repositories = named === null ? null : named.map((one) => ({ provider, ...one }));
  const { max_notes_per_session: limit } = await settingsOf(ctx.db.kysely, orgId, 'knowledge');
  const { items } = await searchKnowledge(ctx, caller, { query: prompt, repositories, limit });
  const given = new Set(items.map(({ note }) => note.note_id));
  const anywhere = { orgId, userId, query: prompt, repositories: null, limit: mostRanked };
  const matching = (await rankNotes(ctx.db.kysely, anywhere)).filter(({ note_id }) => !given.has(note_id));
  const scores = new Map(matching.map((note) => [note.note_id, note]));
  const notes = await listNewest(ctx.db.kysely, { orgId, userId, ids: [...scores.keys()], limit: mostRanked });
  const others = notes
    .filter(({ note_id }) => !given.has(note_id))
    .map((note) => explained(note, { repositories, limit, match: scores.get(note.note_id) }))
    .toSorted((one, other) => other.score - one.score);
  return { items, total: items.length, not_given: others.slice(0, mostExplained) };
}

function explained(
  note: NoteTraits,
  asked: { repositories: readonly NamedRepository[] | null; limit: number; match: RankedNote | undefined },
) {
  const { note_id, name, scope, repo_filter } = note;
  return { note_id, name, scope, repo_filter, score: asked.match?.score ?? 0, reason: reasonOf(note, asked) };
}

function reasonOf(
  { enabled, scope, repo_filter }: NoteTraits,
  { repositories, limit, match }: Parameters<typeof explained>[1],
): string {
  if (!enabled) return 'It is disabled.';
  if (repositories !== null && !passesFilter(repo_filter, repositories))
    return `It applies to ${repo_filter}, and the session has no such repository.`;
  if (repositories?.length === 0 && scope === 'repository')
    return 'It applies to sessions on a repository, and the session has none.';
  if (match === undefined) return 'The prompt shares too few words with it.';
  return `Limit reached: a session gets at most ${limit} notes, and others match better.`;
}
