import type { HostAccount, HostComment } from '../collaboration.ts';
import type { SaidComment } from './collaboration-answers.ts';
import { trimEndOf } from '../../../lib/trim.ts';

const maxBody = 65_536;

/** Cuts a text to 64 KiB, and removes what a database cannot store. */
export function bodyOf(text: string): string {
  const cut = text.slice(0, maxBody).replaceAll('\0', '').toWellFormed();
  const bytes = Buffer.from(cut);
  // A character cut in two ends as U+FFFD.
  return bytes.length <= maxBody ? cut : trimEndOf(bytes.subarray(0, maxBody).toString('utf8'), '\uFFFD');
}

/** Returns an account as the REST API names it; the GraphQL API names Apps without `[bot]`. */
function accountOf(author: SaidComment['author']): HostAccount {
  if (author === null) return { login: 'ghost', isBot: false };
  const isBot = author.__typename === 'Bot';
  return { login: isBot && !author.login.endsWith('[bot]') ? `${author.login}[bot]` : author.login, isBot };
}

/** Kinds of comments, whose ids GitHub counts separately. */
export type CommentKind = 'comment' | 'line' | 'review';

export function commentOf(kind: CommentKind, said: SaidComment): HostComment {
  return {
    id: `${kind}:${said.fullDatabaseId ?? 0}`,
    author: accountOf(said.author),
    body: bodyOf(said.body),
    url: said.url,
    createdAt: new Date(said.createdAt),
  };
}
