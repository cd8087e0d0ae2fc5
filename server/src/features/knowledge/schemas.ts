import { Type, type Static } from 'typebox';
import {
  Body,
  defaults,
  explain,
  Id,
  List,
  ListQuery,
  Name,
  named,
  NullableTimestamp,
  OneOf,
  Principal,
  Text,
  Timestamp,
  record,
} from '../../http/schema.ts';
import { prefixesText, providers } from '../../lib/providers.ts';

/** Maximum length of a note's name, in characters. */
export const maxNameLength = 200;
/** Maximum length of a note's trigger, in characters. */
export const maxTriggerLength = 2_000;
/** Maximum size of a note's body, in bytes of UTF-8: 100 KiB. */
export const maxBodyBytes = 102_400;

export const scopes = ['organization', 'repository', 'user'] as const;
export type NoteScope = (typeof scopes)[number];
export const suggestionStatuses = ['pending', 'accepted', 'dismissed'] as const;

const content = {
  name: Type.String(),
  trigger: Type.String({ description: 'When the note is useful.' }),
  body: Type.String({ description: 'Markdown.' }),
  scope: OneOf(scopes, { description: "`user`: only its owner sees it, and only the owner's sessions get it." }),
  repo_filter: Type.String({ description: '"" for every repository.' }),
  enabled: Type.Boolean({ description: 'Sessions get a disabled note only if they name it.' }),
  revision: Type.Integer({ minimum: 1 }),
};

export const KnowledgeNote = record(
  'KnowledgeNote',
  Type.Object({
    note_id: Id,
    ...content,
    source: OneOf(['user', 'suggestion', 'import']),
    created_by: Principal,
    use_count: Type.Integer({ minimum: 0, description: 'Number of sessions that were given it.' }),
    last_used_at: NullableTimestamp,
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
  '/revision',
);

const KnowledgeNoteVersion = named(
  'KnowledgeNoteVersion',
  Type.Object({ note_id: Id, ...content, created_by: Principal, created_at: Timestamp }),
);

const name = Name(maxNameLength);
const trigger = Text(maxTriggerLength, { minLength: 1, description: 'When the note is useful. Not blank.' });
const body = Text(maxBodyBytes, { minLength: 1, description: 'Markdown, at most 100 KiB in UTF-8. Not blank.' });
const scope = OneOf(scopes, {
  description:
    "`organization`: for every session. `repository`: for sessions on a repository. `user`: for the caller's own " +
    'sessions.',
});
const repoFilter = Text(4_000, {
  description:
    '"" for every repository; else globs separated by commas: `owner/name`, `owner/*`, optionally ' +
    `with the prefix ${prefixesText('`')}.`,
});
const enabled = Type.Boolean();
const optional = {
  scope: Type.Optional(scope),
  repo_filter: Type.Optional(repoFilter),
  enabled: Type.Optional(enabled),
};

export const WriteKnowledgeNote = Body({ name, trigger, body, ...optional });
export type WriteKnowledgeNote = Static<typeof WriteKnowledgeNote>;

const anyPart = {
  name: Type.Optional(name),
  trigger: Type.Optional(trigger),
  body: Type.Optional(body),
};
export const UpdateKnowledgeNote = Body({ ...anyPart, ...optional });
export type UpdateKnowledgeNote = Static<typeof UpdateKnowledgeNote>;

const repo = Text(2_000, {
  description: `\`owner/name\`, optionally with the prefix ${prefixesText('`')}; several separated by commas.`,
});
const noteFilters = {
  search: Type.Optional(
    Text(500, { minLength: 1, description: 'A part of the name or trigger, or words of the body.' }),
  ),
  scope: Type.Optional(Text(100, { description: `${scopes.join(', ')}, or several separated by commas.` })),
  repo: Type.Optional(
    Text(2_000, {
      description: 'Only notes that apply to this repository, or to one of several separated by commas: `owner/name`.',
    }),
  ),
  enabled: Type.Optional(Text(20, { description: 'true, false, or both separated by a comma.' })),
};
export const KnowledgeNoteQuery = ListQuery(noteFilters);
export type KnowledgeNoteQuery = Static<typeof KnowledgeNoteQuery>;
export const ExportKnowledgeQuery = Type.Object(noteFilters, { additionalProperties: false });
export type NoteFilters = Static<typeof ExportKnowledgeQuery>;

export const SearchKnowledgeQuery = Type.Object(
  {
    q: Text(8_000, { minLength: 1, description: 'A prompt, or a question.' }),
    repo: Type.Optional(repo),
  },
  { additionalProperties: false },
);
export type SearchKnowledgeQuery = Static<typeof SearchKnowledgeQuery>;

export const SearchKnowledge = Body({
  prompt: Text(100_000, { description: 'The prompt of the session.' }),
  repo: Type.Optional(repo),
  provider: Type.Optional(OneOf(providers)),
});
export type SearchKnowledge = Static<typeof SearchKnowledge>;

const FoundNote = Type.Object({
  note: KnowledgeNote,
  score: Type.Number({ minimum: 0, maximum: 1 }),
  reason: Type.String({ description: 'Why it matches.' }),
});

export const KnowledgeForPrompt = named(
  'KnowledgeForPrompt',
  Type.Object({
    items: Type.Array(FoundNote),
    total: Type.Integer({ minimum: 0 }),
    not_given: Type.Array(
      Type.Object({
        note_id: Id,
        name: Type.String(),
        scope,
        repo_filter: Type.String(),
        score: Type.Number({ minimum: 0, maximum: 1 }),
        reason: Type.String({ description: 'Why the session would not get it.' }),
      }),
    ),
  }),
);

export const KnowledgeSearch = named(
  'KnowledgeSearch',
  Type.Object({
    items: Type.Array(FoundNote),
    total: Type.Integer({ minimum: 0 }),
  }),
);

export const KnowledgeSuggestion = named(
  'KnowledgeSuggestion',
  Type.Object({
    id: Id,
    session_id: Type.String({ description: 'The session that suggested it; "" if that was deleted.' }),
    name: Type.String(),
    trigger: Type.String(),
    body: Type.String(),
    repo: Type.String({ description: 'The session\'s repository; "" for none.' }),
    status: OneOf(suggestionStatuses),
    note_id: Type.String({ description: 'The note created from it; "" if none exists.' }),
    decided_by: Type.Object(
      { type: Type.Optional(Type.String()), id: Type.Optional(Type.String()), name: Type.Optional(Type.String()) },
      { description: 'Who accepted or dismissed it; `{}` while it is pending.' },
    ),
    decided_at: NullableTimestamp,
    created_at: Timestamp,
  }),
);

export const SuggestionQuery = ListQuery({
  status: Type.Optional(
    Text(100, { description: `${suggestionStatuses.join(', ')}, or several separated by commas.` }),
  ),
});
export type SuggestionQuery = Static<typeof SuggestionQuery>;

export const AcceptSuggestion = Body({
  ...anyPart,
  scope: Type.Optional(scope),
  repo_filter: Type.Optional(repoFilter),
});
export type AcceptSuggestion = Static<typeof AcceptSuggestion>;

export const KnowledgeImport = named(
  'KnowledgeImport',
  Type.Object({
    created: Type.Integer({ minimum: 0 }),
    updated: Type.Integer({ minimum: 0 }),
    unchanged: Type.Integer({ minimum: 0 }),
    failed: Type.Integer({ minimum: 0 }),
    items: Type.Array(
      Type.Object({
        file: Type.String({ description: "The file's name, or its path in the archive." }),
        result: OneOf(['created', 'updated', 'unchanged', 'failed']),
        note_id: Type.String({ description: 'The created, updated or unchanged note; "" for a file that failed.' }),
        reason: Type.String({ description: 'Why it failed; "" otherwise.' }),
      }),
    ),
  }),
);

export const NoteList = List(KnowledgeNote);
export const VersionList = List(KnowledgeNoteVersion);
export const SuggestionList = List(KnowledgeSuggestion);

explain('KnowledgeNote', {
  source: 'Origin: written by a `user`, a `suggestion` of a session, or an `import`.',
});
explain('SearchKnowledgeForPromptRequest', {
  repo: 'The repository of the session, or several separated by commas; omit for any repository.',
  provider: 'The git host of a `repo` without a prefix; omit for any.',
});
explain('KnowledgeForPrompt', {
  not_given:
    'Notes that the session would not get, the best match first: at most 100, of those that match the prompt and of ' +
    'the 200 newest.',
  'not_given.score': 'Relevance for any repository, 0 to 1; 0 if it does not match.',
  'not_given.repo_filter': 'The repositories it applies to; "" for all.',
});
explain(['KnowledgeSearch', 'KnowledgeForPrompt'], {
  items: 'The notes, best first.',
  'items.note': 'The full note.',
  'items.score': 'Relevance, 0 to 1.',
});
explain('KnowledgeSuggestion', {
  trigger: 'When the note would be useful.',
  body: 'Markdown.',
  status: '`pending` until someone accepts or dismisses it.',
  'decided_by.type': 'A user, a service user, an app, a session, or the platform itself (`system`).',
  decided_at: 'When it was decided; null while it is pending.',
});
explain('KnowledgeImport', {
  created: 'Number of new notes.',
  updated: 'Number of notes with a new revision.',
  unchanged: 'Number of notes without changes.',
  failed: 'Number of files that are not valid notes.',
  items: 'One for each file.',
  'items.result': 'The result.',
});
explain(['CreateKnowledgeNoteRequest', 'ReplaceKnowledgeNoteRequest'], {
  enabled: 'True if sessions get it.',
});

explain('AcceptKnowledgeSuggestionRequest', {
  name: "The note's name; default the suggested one.",
  trigger: 'When the note is useful; default the suggested text. Not blank.',
  body: 'Markdown, at most 100 KiB in UTF-8; default the suggested text. Not blank.',
  scope: "The sessions that get it; default the suggested ones. `user`: the caller's own sessions.",
  repo_filter: 'Like that of a note; default the suggested one.',
});
defaults(['CreateKnowledgeNoteRequest', 'ReplaceKnowledgeNoteRequest'], {
  scope: 'organization',
  repo_filter: '',
  enabled: true,
});
