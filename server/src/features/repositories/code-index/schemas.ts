import { Type, type Static } from 'typebox';
import { explain, named, NullableTimestamp, OneOf, Text } from '../../../http/schema.ts';
import { symbolKinds } from '../../../symbols/queries.ts';

const Count = Type.Integer({ minimum: 0 });

export const RepositoryIndex = named(
  'RepositoryIndex',
  Type.Object({
    state: OneOf(['none', 'queued', 'indexing', 'ready', 'stale', 'failed']),
    commit: Type.String(),
    indexed_at: NullableTimestamp,
    error: Type.String(),
    files: Count,
    symbols: Count,
    skipped: Type.Object({
      too_large: Count,
      binary: Count,
      generated: Count,
      vendored: Count,
      failed: Count,
    }),
    progress: Type.Object({ parsed: Count, total: Count }),
  }),
);

export const searchKinds = ['text', 'symbol', 'path'] as const;

export const SearchQuery = Type.Object(
  {
    q: Text(200, {
      minLength: 1,
      pattern: '^[^\\u0000\\n\\r]+$',
      'x-form': 'one line',
      description:
        'What to find. `text`: a part of a line, as it stands. `symbol`: a part of a name, or `Container.name`. `path`: a part of the path.',
    }),
    kind: Type.Optional(OneOf(searchKinds, { description: 'What to search; default `text`.' })),
    first: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'The maximum number of results.' }),
    ),
  },
  { additionalProperties: false },
);

const SearchResult = named(
  'RepositorySearchResult',
  Type.Object({
    path: Type.String(),
    line: Count,
    text: Type.String(),
    symbol: Type.Union([
      Type.Null(),
      Type.Object({ name: Type.String(), kind: OneOf(symbolKinds), container: Type.String(), end_line: Count }),
    ]),
  }),
);

export const SearchResults = named(
  'RepositorySearchResults',
  Type.Object({ commit: Type.String(), items: Type.Array(SearchResult), has_more: Type.Boolean() }),
);

export type SearchKind = (typeof searchKinds)[number];
export type SearchQuery = Static<typeof SearchQuery>;

explain('RepositoryIndex', {
  state: '`none` while there is no index. `failed`: `error` says why; an earlier index stays usable.',
  commit: 'The indexed commit; "" before the first.',
  indexed_at: 'When it was indexed; null before the first time.',
  error: 'Why it failed; "" otherwise.',
  files: 'Files whose symbols are in the index.',
  symbols: 'Definitions in them.',
  skipped: 'Files in a known language without symbols in the index; text and path search find them too.',
  'skipped.too_large': 'More than 1 MiB.',
  'skipped.binary': 'Not text.',
  'skipped.generated': 'By their name, their first lines, or a line of more than 20,000 characters.',
  'skipped.vendored': 'In a directory of other projects, such as `node_modules` or `vendor`.',
  'skipped.failed': 'Parsing took more than 2 s or too much memory, or the index is full: 3,000,000 symbols.',
  progress: 'Of the running or last update.',
  'progress.parsed': 'Files that it read.',
  'progress.total': 'Files that it has to read; a push changes few.',
});
explain('RepositorySearchResults', {
  commit: 'The commit that was searched: the indexed one, or without an index the tip of the default branch.',
  items: 'In the order of paths; symbols with the best match first.',
  has_more: 'True if there are more results than `first`. A file has at most 20 of `text`.',
});
explain('RepositorySearchResult', {
  path: "Relative to the repository's root.",
  line: 'From 1; 0 for a path.',
  text: 'The line without indentation, at most 400 characters; "" for a path.',
  symbol: 'The definition; null unless `kind` is `symbol`.',
  'symbol.name': 'Its name.',
  'symbol.kind': 'What it is.',
  'symbol.container': 'Names of the definitions around it, joined by `.`; "" at the top of a file.',
  'symbol.end_line': 'Its last line.',
});
