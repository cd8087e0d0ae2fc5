import { Type, type Static } from 'typebox';
import {
  Body,
  defaults,
  explain,
  Id,
  NullableInteger,
  NullableTimestamp,
  OneOf,
  Principal,
  Text,
  Timestamp,
  record,
} from '../../http/schema.ts';

const sides = ['old', 'new'] as const;
const Line = Type.Integer({ minimum: 1, maximum: 10_000_000 });
const body = Text(65_536, { minLength: 1 });

export const Comment = record(
  'ChangeRequestComment',
  Type.Object({
    id: Id,
    body: Type.String(),
    file: Type.String({ description: 'The commented file; "" for the whole change request.' }),
    path: Type.String({ description: 'The same as `file`.' }),
    side: OneOf(sides, { description: 'The version of the file that `line` counts in: before or after the change.' }),
    line: NullableInteger,
    start_line: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'The first line of a comment on several; `line` is the last.',
    }),
    in_reply_to: Type.String({ description: 'The comment it replies to; "" for a new thread.' }),
    resolved: Type.Boolean(),
    acknowledged_at: NullableTimestamp,
    author: Principal,
    created_at: Timestamp,
  }),
);

export const CreateComment = Body({
  body,
  file: Type.Optional(
    Text(1_000, {
      description: "The commented file, relative to the repository's root; omit for the whole change request.",
    }),
  ),
  path: Type.Optional(Text(1_000, { description: 'The same as `file`; omit one of them.' })),
  side: Type.Optional(OneOf(sides, { description: 'The version of the file that `line` counts in.' })),
  line: Type.Optional(Line),
  start_line: Type.Optional(Line),
  in_reply_to: Type.Optional(Id),
});
export type CreateComment = Static<typeof CreateComment>;

export const UpdateComment = Body({
  body: Type.Optional(body),
  resolved: Type.Optional(Type.Boolean()),
});
export type UpdateComment = Static<typeof UpdateComment>;

explain('ChangeRequestComment', {
  body: 'Markdown.',
  line: 'The commented line; null for none.',
  resolved: 'True if it is resolved.',
  acknowledged_at: 'When the platform noticed it, because it follows the change request; null before.',
  author: 'The author.',
});
explain('CommentOnChangeRequestRequest', {
  body: 'Markdown, at most 65,536 characters.',
  line: 'The commented line of `file`, which it requires; omit for the whole file.',
  start_line: 'The first line of a comment on several; at most `line`, which is the last. Omit for a comment on one.',
  in_reply_to: 'The comment of the same change request that it replies to; omit for one that begins a thread.',
});
explain('UpdateChangeRequestCommentRequest', {
  body: 'Markdown, at most 65,536 characters; default unchanged.',
  resolved: 'True to resolve it; default unchanged.',
});
defaults('CommentOnChangeRequestRequest', { side: 'new' });
