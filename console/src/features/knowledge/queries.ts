import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { apiOf, unwrap, type Schemas } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { listOptions, textsOf } from '../../lib/list.ts';

export type Note = Schemas['KnowledgeNote'];
export type NoteVersion = Schemas['KnowledgeNoteVersion'];
export type Suggestion = Schemas['KnowledgeSuggestion'];
export type Scope = Note['scope'];

export const notesPath = '/v3/organizations/{orgId}/knowledge/notes';
export const suggestionsPath = '/v3/organizations/{orgId}/knowledge/suggestions';

/** Who gets a note, by its scope. */
export const scopes = [
  ['organization', 'Every session'],
  ['repository', 'Sessions on some repositories'],
  ['user', 'Only my own sessions'],
] as const satisfies readonly (readonly [Scope, string])[];

export function isScope(value: string | undefined): value is Scope {
  return scopes.some(([scope]) => scope === value);
}

/** What the list of notes shows; the address has it. */
export interface NoteFilters {
  q?: string;
  scope?: Scope;
  repo?: string;
  /** `on` or `off`. */
  on?: string;
}

export function noteFiltersOf(search: Record<string, unknown>): NoteFilters {
  const { scope, ...rest } = textsOf(search, ['q', 'scope', 'repo', 'on']);
  return { ...rest, ...(isScope(scope) ? { scope } : {}) };
}

export function notesQuery(org: string, { q, scope, repo, on }: NoteFilters) {
  const filters = {
    ...(q === undefined ? {} : { search: q }),
    ...(scope === undefined ? {} : { scope }),
    ...(repo === undefined ? {} : { repo }),
    ...(on === undefined ? {} : { enabled: String(on === 'on') }),
  };
  return listOptions<Note>(keys.list(org, 'knowledge', { notes: filters }), (page, signal) =>
    unwrap(apiOf(org).GET(notesPath, { params: { query: { ...page, ...filters } }, signal })),
  );
}

export function noteQuery(org: string, noteId: string) {
  return queryOptions({
    queryKey: keys.one(org, 'knowledge', noteId),
    queryFn: ({ signal }) => unwrap(apiOf(org).GET(`${notesPath}/{noteId}`, { params: { path: { noteId } }, signal })),
  });
}

export function versionsQuery(org: string, noteId: string) {
  return listOptions<NoteVersion>(keys.part(org, 'knowledge', noteId, 'versions'), (query, signal) =>
    unwrap(apiOf(org).GET(`${notesPath}/{noteId}/versions`, { params: { path: { noteId }, query }, signal })),
  );
}

export type SuggestionStatus = Suggestion['status'];

export function suggestionsQuery(org: string, status: SuggestionStatus) {
  return listOptions<Suggestion>(keys.list(org, 'knowledge', { suggestions: status }), (page, signal) =>
    unwrap(apiOf(org).GET(suggestionsPath, { params: { query: { ...page, status } }, signal })),
  );
}

/** The notes that a session with a prompt would get, and those that it would not. */
export function tryQuery(org: string, prompt: string, repo: string) {
  return queryOptions({
    queryKey: keys.list(org, 'knowledge', { try: prompt, repo }),
    queryFn: ({ signal }) =>
      unwrap(
        apiOf(org).POST('/v3/organizations/{orgId}/knowledge/search', {
          body: { prompt, ...(repo === '' ? {} : { repo }) },
          signal,
        }),
      ),
    enabled: prompt.trim() !== '',
    placeholderData: keepPreviousData,
  });
}
