import { Type } from 'typebox';
import { explain, named, NullableTimestamp, OneOf } from '../../http/schema.ts';
import { pageKinds } from '../../wiki/material.ts';

const proseStates = ['none', 'current', 'stale'] as const;

const listed = {
  slug: Type.String(),
  parent: Type.String(),
  kind: OneOf(pageKinds),
  title: Type.String(),
  summary: Type.String(),
  prose_state: OneOf(proseStates),
};

export const RepositoryWiki = named(
  'RepositoryWiki',
  Type.Object({
    state: OneOf(['none', 'queued', 'generating', 'ready', 'failed']),
    commit: Type.String(),
    generated_at: NullableTimestamp,
    error: Type.String(),
    note: Type.String(),
    prose_session_id: Type.String(),
    prose_left: Type.Integer({ minimum: 0 }),
    pages: Type.Array(named('WikiPageSummary', Type.Object(listed))),
  }),
);

export const WikiPage = named(
  'WikiPage',
  Type.Object({
    ...listed,
    commit: Type.String(),
    body: Type.String(),
    prose: Type.String(),
    prose_at: NullableTimestamp,
  }),
);

explain('RepositoryWiki', {
  state: '`none` while there is no wiki. `failed`: `error` says why; earlier pages stay.',
  commit: 'The commit that the pages describe; "" before the first.',
  generated_at: 'When the pages were made; null before the first time.',
  error: 'Why it failed; "" otherwise.',
  note: 'What the wiki and its prose leave out, and why there is no prose; "" for nothing.',
  prose_session_id: 'The session that writes prose; "" while none does.',
  prose_left: 'The pages that are still to get prose: this session and the next ones write them. 0 when no more are.',
  pages: 'In the order to read them, at most 400.',
});
explain(['WikiPageSummary', 'WikiPage'], {
  slug: 'Its name in URLs.',
  parent: 'The slug of the page above it; "" at the top.',
  kind: 'What it describes. `steered`: a page that the repository asks for in `.guildhall/wiki.json` or `.devin/wiki.json`.',
  title: 'Plain text.',
  summary: 'A sentence of Markdown; may be "".',
  prose_state: '`stale`: files of the page changed since a model wrote the prose.',
});
explain('WikiPage', {
  commit: 'The commit that its links name.',
  body:
    'Facts, as Markdown of at most 120,000 characters; text of the repository is escaped. A link to a line is ' +
    '`path@commit#L1`, with the path percent-encoded; one to another page is its slug.',
  prose:
    'What a model wrote about the code, with links of the same form to the commit that it read; each was checked. "" if there is none.',
  prose_at: 'When it was written; null if it was not.',
});
