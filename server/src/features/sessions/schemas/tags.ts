import { Type } from 'typebox';

/** The maximum number of tags of a session. */
export const maxTags = 50;

/** A tag: a name without commas, which separate the values of a filter. */
export const Tag = Type.String({
  minLength: 1,
  maxLength: 100,
  'x-line': true,
  pattern: '^[^,]*$',
  'x-form': 'a tag without commas',
});

export const tags = Type.Array(Tag, { maxItems: maxTags, uniqueItems: true });
