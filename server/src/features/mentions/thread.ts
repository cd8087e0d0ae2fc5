import type { HostComment } from '../../adapters/source-control/collaboration.ts';
import type { RepositoryRef, SourceControl } from '../../adapters/source-control/port.ts';

/** An issue or a change request of a git host. */
export interface Place {
  readonly org_id: string;
  readonly repository_id: string;
  readonly kind: 'issue' | 'change_request';
  readonly number: number;
}

export interface Said extends HostComment {
  /** The thread to answer in; `''` for the whole. */
  readonly threadId: string;
  /** The file and line that it is about; `''` for none. */
  readonly where: string;
}

/** An issue or change request with everything that was said, the oldest first. */
export interface Thread {
  readonly title: string;
  /** The text of an issue is the first of `said`, as `body`. */
  readonly body: string;
  readonly url: string;
  readonly said: readonly Said[];
}

/** Reads what was said; undefined if the host does not have it, or does not show it. */
export async function readThread(
  source: SourceControl,
  ref: RepositoryRef,
  { kind, number }: Pick<Place, 'kind' | 'number'>,
): Promise<Thread | undefined> {
  return kind === 'issue' ? readIssue(source, ref, number) : readChangeRequest(source, ref, number);
}

async function readIssue(source: SourceControl, ref: RepositoryRef, number: number): Promise<Thread | undefined> {
  const issue = await source.issue?.(ref, number);
  if (issue === undefined) return undefined;
  const comments = (await source.issueComments?.(ref, number)) ?? [];
  const { title, body, url, author, createdAt } = issue;
  const text = { id: 'body', author, body, url, createdAt, ...whole };
  return { title, body, url, said: [text, ...comments.map((one) => onWhole('comment', one))] };
}

async function readChangeRequest(
  source: SourceControl,
  ref: RepositoryRef,
  number: number,
): Promise<Thread | undefined> {
  const change = await source.changeRequest(ref, number);
  const discussion = change && (await source.discussion?.(ref, number));
  if (change === undefined || discussion === undefined) return undefined;
  const { comments, reviews, threads } = discussion;
  const lines = threads.flatMap(({ id: threadId, path, line, comments: told }) =>
    told.map((one) => ({ ...one, id: `line ${one.id}`, threadId, where: line === null ? path : `${path}:${line}` })),
  );
  const said = [
    ...comments.map((one) => onWhole('comment', one)),
    ...reviews.map((one) => onWhole('review', one)),
    ...lines,
  ];
  const { title, body, url } = change;
  return { title, body, url, said: said.toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime()) };
}

const whole = { threadId: '', where: '' };

function onWhole(kind: 'comment' | 'review', said: HostComment): Said {
  return { ...said, id: `${kind} ${said.id}`, ...whole };
}
