import { Type, type Static } from 'typebox';
import { Body, explain, Id, named, NullableInteger, OneOf, Text, Timestamp } from '../../http/schema.ts';

const sides = ['old', 'new'] as const;
const Line = Type.Integer({ minimum: 1, maximum: 10_000_000 });
const body = Text(65_536, { minLength: 1 });

export const Comment = named(
  'ChangeRequestComment',
  Type.Object({
    id: Id,
    body: Type.String(),
    file: Type.String({ description: 'What it is about; "" for the whole change request.' }),
    path: Type.String({ description: 'The same as `file`.' }),
    side: OneOf(sides, { description: 'Whether `line` counts in the file as it was, or as it is with the change.' }),
    line: NullableInteger,
    start_line: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'The first line, of a comment on several; `line` is the last.',
    }),
    in_reply_to: Type.String({ description: 'The comment that it answers; "" begins a conversation.' }),
    resolved: Type.Boolean(),
    author: Type.Object({
      type: OneOf(['user', 'service_user', 'app', 'session', 'system']),
      id: Id,
      name: Type.String({ description: 'As it is now; "" when it has none.' }),
    }),
    created_at: Timestamp,
  }),
);

export const CreateComment = Body({
  body,
  file: Type.Optional(
    Text(1_000, {
      description: 'The file it is about, from the root of the repository; without it, the whole change request.',
    }),
  ),
  path: Type.Optional(Text(1_000, { description: 'The same as `file`.' })),
  side: Type.Optional(OneOf(sides, { description: 'Default: `new`.' })),
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
  line: 'The line it is about; null for none.',
  resolved: 'Whether it is settled.',
  author: 'Who wrote it.',
  'author.type': 'A person, a service user, an app, a session, or the platform itself (`system`).',
});
explain('CommentOnChangeRequestRequest', {
  body: 'Markdown, at most 65,536 characters.',
  line: 'The line of `file` that it is about.',
  start_line: 'The first line, of a comment on several; not behind `line`, which is the last.',
  in_reply_to: 'The comment of the same change request that it answers.',
});
explain('UpdateChangeRequestCommentRequest', {
  body: 'Markdown, at most 65,536 characters; stays unless given.',
  resolved: 'Whether it is settled; stays unless given.',
});
