import { Type, type Static } from 'typebox';
import {
  Body,
  defaults,
  explain,
  Id,
  ListQuery,
  named,
  NullableTimestamp,
  OneOf,
  Text,
  Timestamp,
  record,
} from '../../http/schema.ts';
import { providers, repositoryName } from '../../lib/providers.ts';

/** JSON may escape every byte of the largest content, with six bytes each. */
export const noteBodyBytes = 2 * 1_048_576;
export const maxContentBytes = 245_760;
export const maxTitleCharacters = 160;
export const defaultTitle = 'Memory note';

const provider = OneOf(providers, { description: '`local` is the built-in git host.' });
const repo = Text(200, {
  pattern: `^${repositoryName}$`,
  'x-form': 'owner/name: letters, digits, . _ and -',
  description: '`owner/name`, compared case-insensitively; only GitLab and Pagure allow slashes in the owner.',
});
const title = Text(noteBodyBytes, {
  description: `Trimmed to at most ${maxTitleCharacters} characters. "${defaultTitle}" by default, and if blank.`,
});
const content = Text(noteBodyBytes, {
  minLength: 1,
  'x-error-code': 'content_required',
  description: 'Trimmed; then neither empty nor longer than 245,760 bytes in UTF-8.',
});

const MemoryItem = named(
  'MemoryItem',
  Type.Object({
    memory_id: Id,
    title: Type.String(),
    content: Type.String(),
    created_at: Timestamp,
    updated_at: Timestamp,
    revision: Type.Integer({ minimum: 1 }),
    materialized_revision: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'The newest revision that a session was given.',
    }),
    materialized_at: NullableTimestamp,
  }),
);

const place = { repo: Type.String(), provider: OneOf(providers) };

export const MemoryNote = record('MemoryNote', Type.Object({ ...place, item: MemoryItem }), '/item/revision');

export const MemoryNoteList = named(
  'MemoryNoteList',
  Type.Object({
    ...place,
    items: Type.Array(MemoryItem),
    end_cursor: Type.String({ description: 'Send it as `after` for the next page; "" on an empty page.' }),
    has_next_page: Type.Boolean(),
    total: Type.Integer({
      minimum: 0,
      description: 'Exact up to 10,000; above that an estimate of at least that number.',
    }),
  }),
);

export const CreateMemoryNote = Body({ repo, provider, title: Type.Optional(title), content });
export type CreateMemoryNote = Static<typeof CreateMemoryNote>;

export const UpdateMemoryNote = Body({ title: Type.Optional(title), content: Type.Optional(content) });
export type UpdateMemoryNote = Static<typeof UpdateMemoryNote>;

export const MemoryPlace = Type.Object({ repo, provider }, { additionalProperties: false });
export type MemoryPlace = Static<typeof MemoryPlace>;

export const MemoryQuery = ListQuery({ repo, provider });
export type MemoryQuery = Static<typeof MemoryQuery>;

export const GeneratedMemory = named(
  'GeneratedMemory',
  Type.Object({
    ...place,
    items: Type.Array(
      Type.Object({
        agent: Type.String({ description: 'The author: `builtin`, or the preset of another agent.' }),
        path: Type.String({ description: "Path of the file in the agent's own memory." }),
        content: Type.String(),
        updated_at: Timestamp,
      }),
    ),
    total: Type.Integer({ minimum: 0 }),
  }),
);

export const ProjectionQuery = Type.Object({ session_id: Id }, { additionalProperties: false });

export const MemoryProjections = named(
  'MemoryProjections',
  Type.Object({
    items: Type.Array(
      Type.Object({
        session_id: Id,
        memory_id: Id,
        revision: Type.Integer({ minimum: 1 }),
        path: Type.String({ description: 'Path of the file in the sandbox, starting with `~/`.' }),
        sha256: Type.String(),
        created_at: Timestamp,
      }),
    ),
    total: Type.Integer({ minimum: 0 }),
  }),
);

explain('GeneratedMemory', {
  items: 'All of the files.',
  'items.content': 'The content, as the agent wrote it.',
});
explain('MemoryItem', {
  content: 'Markdown, or any text.',
  materialized_at: 'When the session got it; null before the first.',
  title: 'Title for readers; "Memory note" by default.',
});
explain('MemoryNote', {
  item: 'The note itself.',
});
explain('MemoryProjections', {
  items: 'All of them.',
  'items.revision': 'The revision in the file.',
});
defaults('CreateMemoryNoteRequest', { title: defaultTitle });
