import type { HostAccount, HostComment } from '../../adapters/source-control/collaboration.ts';
import type { HostedDiscussion, HostedThread } from '../../adapters/source-control/hosted-collaboration.ts';
import type { HostedCommentRow } from './hosted-comment-store.ts';

/** Arranges the comments of a change request, oldest first, as comments, reviews and threads. */
export function discussionOf(rows: readonly HostedCommentRow[]): HostedDiscussion {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const rootOf = (row: HostedCommentRow): HostedCommentRow => {
    let root = row;
    // A reply may reply to a reply.
    for (let steps = 0; steps < rows.length && root.in_reply_to !== ''; steps += 1) {
      const before = byId.get(root.in_reply_to);
      if (before === undefined) break;
      root = before;
    }
    return root;
  };
  const comments: HostComment[] = [];
  const reviews: HostedDiscussion['reviews'][number][] = [];
  const threads = new Map<string, HostedCommentRow[]>();
  for (const row of rows) {
    const root = rootOf(row);
    if (root.path !== '') threads.set(root.id, [...(threads.get(root.id) ?? []), row]);
    else if (row.review_state === '') comments.push(commentOf(row));
    else reviews.push({ ...commentOf(row), state: row.review_state, headSha: row.head_sha });
  }
  return { comments, reviews, threads: [...threads.values()].flatMap(threadOf) };
}

function threadOf(rows: readonly HostedCommentRow[]): HostedThread[] {
  const [first] = rows;
  if (first === undefined) return [];
  const { id, path, line, side, resolved, start_line: startLine, head_sha: headSha, review_id: reviewId } = first;
  const comments = rows.map(commentOf);
  return [{ id, path, line, startLine, side, isResolved: resolved, comments, reviewId, headSha }];
}

function commentOf(row: HostedCommentRow): HostComment {
  return { id: row.id, author: accountOf(row), body: row.body, url: '', createdAt: row.created_at };
}

/** The login is the principal's id; `''` is the platform itself, as the built-in host's own account. */
function accountOf({ author_type: type, author_id: login }: HostedCommentRow): HostAccount {
  return { login, isBot: type !== 'user' };
}
