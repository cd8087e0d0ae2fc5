import { Type, type Static } from 'typebox';

/** The most pages that one session writes. */
export const mostPages = 12;

const closed = { additionalProperties: false };

/** The structured output of a session that writes prose. */
export const ProseOutput = Type.Object(
  {
    pages: Type.Array(
      Type.Object(
        {
          slug: Type.String({ minLength: 1, maxLength: 120, description: 'The page that the text is for.' }),
          text: Type.String({
            minLength: 1,
            maxLength: 8_000,
            description: 'Markdown. Each paragraph and list item has a link to the lines that prove it.',
          }),
        },
        closed,
      ),
      { minItems: 1, maxItems: mostPages },
    ),
  },
  closed,
);
export type WrittenPage = Static<typeof ProseOutput>['pages'][number];
