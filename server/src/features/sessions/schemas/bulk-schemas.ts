import { Type, type Static } from 'typebox';
import { Body, Id, named, OneOf } from '../../../http/schema.ts';
import { maxTags, Tag } from './tags.ts';

export const ChangeSessions = Body({
  ids: Type.Array(Id, { minItems: 1, maxItems: 200, uniqueItems: true, description: 'The sessions, up to 200.' }),
  action: OneOf(['archive', 'unarchive', 'cancel', 'tag'], {
    description: 'What to do with each: `archive`, `unarchive`, `cancel`, or `tag`, which adds `tags` to its own.',
  }),
  tags: Type.Optional(
    Type.Array(Tag, {
      minItems: 1,
      maxItems: maxTags,
      uniqueItems: true,
      description: 'Required with the action `tag`, and refused with any other; none by default.',
    }),
  ),
});
export type ChangeSessions = Static<typeof ChangeSessions>;

export const SessionChanges = named(
  'SessionChanges',
  Type.Object({
    items: Type.Array(
      Type.Object({
        id: Id,
        ok: Type.Boolean({ description: 'True if the session is as requested now, also if it was before.' }),
        error: Type.Unsafe<{ code: string; message: string } | null>({
          type: ['object', 'null'],
          description: 'Why it could not be changed: the error of the operation on one session. null if it was.',
          properties: {
            code: { type: 'string', description: 'The error code.' },
            message: { type: 'string', description: 'What is wrong, and what to do.' },
          },
          required: ['code', 'message'],
        }),
      }),
      { description: 'A result for each session, in the order of the request.' },
    ),
  }),
);
export type SessionChanges = Static<typeof SessionChanges>;
