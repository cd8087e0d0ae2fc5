import { Type, type Static } from 'typebox';
import { Id, OneOf } from '../../http/schema.ts';

/** A note in the context of a session. */
export const GivenNote = Type.Object({
  note_id: Id,
  name: Type.String(),
  revision: Type.Integer({ minimum: 0 }),
  scope: OneOf(['organization', 'repository', 'user']),
  score: Type.Number({ minimum: 0, maximum: 1 }),
  reason: Type.String({ description: 'Why the session was given it.' }),
});
export type GivenNote = Static<typeof GivenNote>;
