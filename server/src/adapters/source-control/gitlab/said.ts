import { Type, type Static } from 'typebox';
import type { HostAccount, HostComment } from '../collaboration.ts';
import { cutBody } from '../cut-body.ts';

// The fields that are used of what people and programs say in GitLab: https://docs.gitlab.com/api/discussions/

const Id = Type.Integer({ minimum: 1 });
const Time = Type.String({ maxLength: 64 });
const Line = Type.Optional(Type.Union([Type.Integer(), Type.Null()]));
const Path = Type.Optional(Type.Union([Type.String(), Type.Null()]));

export const Account = Type.Object({ id: Id, username: Type.String({ minLength: 1, maxLength: 255 }) });
/** Null for an account that was deleted. */
const Author = Type.Optional(Type.Union([Account, Type.Null()]));

export const Position = Type.Object({
  head_sha: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  new_path: Path,
  old_path: Path,
  new_line: Line,
  old_line: Line,
});

/** GET …/notes */
export const SaidNote = Type.Object({
  id: Id,
  body: Type.String(),
  author: Author,
  created_at: Time,
  system: Type.Boolean(),
  resolved: Type.Optional(Type.Boolean()),
  position: Type.Optional(Type.Union([Position, Type.Null()])),
});
export type SaidNote = Static<typeof SaidNote>;

/** GET …/discussions */
export const SaidDiscussion = Type.Object({
  id: Type.String({ pattern: '^[\\w-]{1,64}$' }),
  notes: Type.Array(SaidNote, { maxItems: 10_000 }),
});
export type SaidDiscussion = Static<typeof SaidDiscussion>;

/** GET …/issues */
export const SaidIssue = Type.Object({
  iid: Id,
  state: Type.String(),
  title: Type.String(),
  description: Type.Union([Type.String(), Type.Null()]),
  author: Author,
  labels: Type.Array(Type.String(), { maxItems: 10_000 }),
  web_url: Type.String(),
  created_at: Time,
  updated_at: Time,
});
export type SaidIssue = Static<typeof SaidIssue>;

/** The user names of project and group access tokens, and of service accounts. */
const bot = /^(?:(?:project|group)_\d+_bot(?:_\w+)?|service_account_\w+)$/;

export function accountOf(author: Static<typeof Account> | null | undefined): HostAccount {
  const login = author?.username ?? 'ghost';
  return { login, isBot: bot.test(login) };
}

export function timeOf(text: string | null | undefined): Date {
  const time = new Date(text ?? '');
  return Number.isNaN(time.getTime()) ? new Date(0) : time;
}

/** Describes a note; `page` is the URL of what it is on. */
export function commentOf(note: SaidNote, page: string): HostComment {
  return {
    id: String(note.id),
    author: accountOf(note.author),
    body: cutBody(note.body),
    url: page === '' ? '' : `${page}#note_${note.id}`,
    createdAt: timeOf(note.created_at),
  };
}
