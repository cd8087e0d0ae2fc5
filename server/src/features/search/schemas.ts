import { Type } from 'typebox';
import { explain, Id, named, NullableInteger, OneOf, Timestamp } from '../../http/schema.ts';

/** The types that can be found, in the order of the results. */
export const foundTypes = ['session', 'change_request', 'repository', 'note', 'automation', 'member'] as const;
export type FoundType = (typeof foundTypes)[number];

const SearchResult = named(
  'SearchResult',
  Type.Object({
    type: OneOf(foundTypes),
    id: Id,
    title: Type.String(),
    detail: Type.String(),
    state: Type.String(),
    repository_id: Type.String(),
    number: NullableInteger,
    created_at: Timestamp,
  }),
);

export const SearchResults = named('SearchResults', Type.Object({ items: Type.Array(SearchResult) }));

explain('SearchResults', { items: 'By type, and newest first within each.' });
explain('SearchResult', {
  type: 'The kind of resource.',
  title: 'Its title or name; of a session without a title the start of its prompt.',
  detail:
    'The repository of a session or a change request, the trigger of a note, the e-mail of a member; "" for others.',
  state: 'The status of a session or an automation, the state of a change request; "" for others.',
  repository_id: 'The repository of a change request, which its path needs; "" for others.',
  number: 'The number of a change request; null for others.',
});
