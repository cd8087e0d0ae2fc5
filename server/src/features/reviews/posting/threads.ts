import type { Discussion, HostThread } from '../../../adapters/source-control/collaboration.ts';
import { markOf } from './markers.ts';
import { readReply } from './replies.ts';

/** A finding, as far as its thread matters. */
export interface ThreadFinding {
  id: string;
  status: 'open' | 'resolved' | 'dismissed';
  /** The thread with its comment; `''` if that is not recorded. */
  comment_id: string;
  thread_resolved: boolean;
  heard_comment_id: string;
}

/** Returns the thread of each finding: the recorded one, else the first one that the platform marked with it. */
export function threadsOf(
  findings: readonly Pick<ThreadFinding, 'id' | 'comment_id'>[],
  { threads }: Pick<Discussion, 'threads'>,
): Map<string, HostThread> {
  const byId = new Map(threads.map((thread) => [thread.id, thread]));
  const byFinding = new Map<string, HostThread>();
  for (const thread of threads) {
    const mark = markOf(thread.comments[0]?.body ?? '');
    if (mark?.mark === 'finding' && !byFinding.has(mark.id)) byFinding.set(mark.id, thread);
  }
  const found = new Map<string, HostThread>();
  for (const { id, comment_id } of findings) {
    const thread = (comment_id === '' ? undefined : byId.get(comment_id)) ?? byFinding.get(id);
    if (thread !== undefined) found.set(id, thread);
  }
  return found;
}

/** Something that a thread changes about a finding. */
export interface Heard {
  id: string;
  /** The reason to dismiss it; undefined for none. */
  dismissal: string | undefined;
  isResolved: boolean;
  lastCommentId: string;
}

/**
 * Reads what people decided in threads since the last time. A resolved thread dismisses its finding, unless its lines changed:
 * then the next review says if the problem is gone. `mayDecide` are the logins whose reply counts.
 */
export function hear(
  findings: readonly ThreadFinding[],
  discussion: Pick<Discussion, 'threads'>,
  mayDecide: ReadonlySet<string>,
): Heard[] {
  const threads = threadsOf(findings, discussion);
  return findings.flatMap((finding) => {
    const thread = threads.get(finding.id);
    if (thread === undefined) return [];
    const lastCommentId = thread.comments.at(-1)?.id ?? '';
    const isResolved = thread.isResolved || finding.thread_resolved;
    const dismissal = finding.status === 'open' ? dismissalIn(thread, finding, mayDecide) : undefined;
    const isNews = isResolved !== finding.thread_resolved || lastCommentId !== finding.heard_comment_id;
    return isNews || dismissal !== undefined ? [{ id: finding.id, dismissal, isResolved, lastCommentId }] : [];
  });
}

function dismissalIn(thread: HostThread, finding: ThreadFinding, mayDecide: ReadonlySet<string>): string | undefined {
  const reply = newReplies(thread, finding.heard_comment_id).find(
    ({ body, author }) => mayDecide.has(author.login) && readReply(body) === 'dismissal',
  );
  if (reply !== undefined) return `${reply.author.login} replied: ${reply.body.trim().slice(0, 500)}`;
  const isNewlyResolved = thread.isResolved && !finding.thread_resolved;
  return isNewlyResolved && !thread.isOutdated ? 'Its thread was resolved on the change request.' : undefined;
}

/** Returns who replied to findings that are open and was not read yet: their permission decides if that counts. */
export function deciders(findings: readonly ThreadFinding[], discussion: Pick<Discussion, 'threads'>): Set<string> {
  const threads = threadsOf(findings, discussion);
  return new Set(
    findings
      .filter(({ status }) => status === 'open')
      .flatMap((finding) => {
        const thread = threads.get(finding.id);
        return thread === undefined ? [] : newReplies(thread, finding.heard_comment_id);
      })
      .filter(({ body }) => readReply(body) === 'dismissal')
      .map(({ author }) => author.login),
  );
}

/** Returns the comments of others after the last one that was read; all of them if that is gone. */
function newReplies({ comments }: HostThread, heardId: string) {
  const at = comments.findIndex(({ id }) => id === heardId);
  return comments.slice(Math.max(at + 1, 1)).filter(({ body }) => markOf(body) === undefined);
}
