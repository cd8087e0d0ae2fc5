import { Type } from 'typebox';
import { OneOf, Text } from '../../http/schema.ts';

const closed = { additionalProperties: false };
const Repo = Text(200, {
  minLength: 1,
  description: 'The repository, as owner/name; as provider:owner/name if several providers have it.',
});
const First = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 100, description: 'The maximum number of results; default 20.' }),
);
const line = { minLength: 1, pattern: '^[^\\u0000\\n\\r]+$' };

export const SearchCodeInput = Type.Object(
  {
    repo: Repo,
    query: Text(200, { ...line, description: 'A part of a line, as it stands, or with kind path a part of a path.' }),
    kind: Type.Optional(OneOf(['text', 'path'], { description: 'text finds lines (the default), path finds files.' })),
    first: First,
  },
  closed,
);
export const FindSymbolInput = Type.Object(
  { repo: Repo, name: Text(200, { ...line, description: 'A part of its name, or Container.name.' }), first: First },
  closed,
);
export const FoundCode = Type.Object({
  commit: Type.String(),
  results: Type.Array(
    Type.Object({
      path: Type.String(),
      line: Type.Integer({ description: 'From 1; 0 for a path.' }),
      text: Type.String(),
      kind: Type.String({ description: 'Of a symbol, for example function; "" otherwise.' }),
      container: Type.String({ description: 'The definitions around a symbol; "" otherwise.' }),
    }),
  ),
  has_more: Type.Boolean(),
});

export const ReadWikiInput = Type.Object(
  {
    repo: Repo,
    page: Type.Optional(
      Text(120, { minLength: 1, description: 'The slug of a page; if omitted, the pages are listed.' }),
    ),
  },
  closed,
);
export const ReadWikiOutput = Type.Object({
  state: Type.String({ description: 'none while the repository has no wiki; ready when its pages are current.' }),
  commit: Type.String({ description: 'The commit that the pages describe.' }),
  pages: Type.Array(Type.Object({ slug: Type.String(), title: Type.String(), summary: Type.String() }), {
    description: 'Empty if a page was asked for.',
  }),
  text: Type.String({ description: 'The page as Markdown; its links name lines as path@commit#L1.' }),
});
