import { Type, type Static } from 'typebox';
import type { HostComment, HostIssue } from '../collaboration.ts';
import { cutBody } from '../cut-body.ts';

// What people and programs say in Pagure; only the fields that are used.

const Id = Type.Integer({ minimum: 1 });
const Optional = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const Seconds = Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Null()]));
const User = Type.Object({ name: Type.String() });

/** A comment on an issue or a pull request. */
export const SaidComment = Type.Object({
  id: Id,
  comment: Type.String(),
  date_created: Seconds,
  user: User,
  /** True for what Pagure says itself. */
  notification: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  commit: Optional,
  filename: Optional,
  line: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
});
export type SaidComment = Static<typeof SaidComment>;

export const SaidComments = Type.Object({
  comments: Type.Array(SaidComment),
  tags: Type.Optional(Type.Array(Type.String())),
});

export const SaidIssue = Type.Object({
  id: Id,
  title: Type.String(),
  content: Optional,
  status: Type.String(),
  user: User,
  tags: Type.Optional(Type.Array(Type.String())),
  date_created: Seconds,
  last_updated: Seconds,
  full_url: Type.String(),
});
export type SaidIssue = Static<typeof SaidIssue>;
export const SaidIssues = Type.Object({ issues: Type.Array(SaidIssue) });

/** Texts of comments are read up to this size. */
export const textBytes = 65_536;

/** Returns the time of a number of seconds since 1970. */
export function secondsOf(seconds: string | number | null | undefined): Date {
  const ms = Number(seconds ?? 0) * 1_000;
  return new Date(ms >= 0 && ms < 8.64e15 ? ms : 0);
}

export function commentOf(said: SaidComment, page: string): HostComment {
  return {
    id: String(said.id),
    author: { login: said.user.name, isBot: false },
    body: cutBody(said.comment),
    url: `${page}#comment-${said.id}`,
    createdAt: secondsOf(said.date_created),
  };
}

export function issueOf(said: SaidIssue): HostIssue {
  return {
    number: said.id,
    state: said.status === 'Open' ? 'open' : 'closed',
    title: said.title,
    body: cutBody(said.content ?? ''),
    author: { login: said.user.name, isBot: false },
    labels: said.tags ?? [],
    url: ['http:', 'https:'].includes(URL.parse(said.full_url)?.protocol ?? '') ? said.full_url : '',
    createdAt: secondsOf(said.date_created),
    updatedAt: secondsOf(said.last_updated),
  };
}
