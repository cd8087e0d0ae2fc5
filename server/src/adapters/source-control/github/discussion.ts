import type { Static, TSchema } from 'typebox';
import type { Discussion, HostComment, HostReview, HostThread } from '../collaboration.ts';
import type { HostConnection } from '../connection.ts';
import type { RepositoryRef } from '../refs.ts';
import type { Collaboration } from '../collaboration.ts';
import type { GithubClient } from './client.ts';
import { GithubFailure } from './failures.ts';
import { Label, SaidComment, SaidPage, SaidReview, SaidThread } from './collaboration-answers.ts';
import { inPages } from './pages.ts';
import { requireRepository } from './repositories.ts';
import { bodyOf, commentOf } from './texts.ts';

const maxItems = 1_000;
/** All texts of one list together; older ones are left out beyond. */
const maxTextBytes = 16 * 1_024 * 1_024;

const comment = 'fullDatabaseId author { __typename login } body url createdAt';
const lineComment = `${comment} pullRequestReview { fullDatabaseId }`;

interface Listed<Node extends TSchema> {
  readonly subject: 'pullRequest' | 'issue';
  readonly number: number;
  /** The field with the list, and the fields of its nodes. */
  readonly field: 'comments' | 'reviews' | 'reviewThreads' | 'labels';
  readonly fields: string;
  readonly node: Node;
  readonly maxItems?: number;
}

export function discussionFunction(client: GithubClient): Collaboration['discussion'] {
  return async (ref, number) => {
    const connection = await client.open(ref);
    const { repo } = await requireRepository(client, connection, ref.repo);
    const subject = 'pullRequest' as const;
    const list = <Node extends TSchema>(listed: Omit<Listed<Node>, 'subject' | 'number'>) =>
      listNewest(client, connection, repo, { subject, number, ...listed });
    const labels = await list({ field: 'labels', fields: 'name', node: Label, maxItems: 100 });
    const comments = await list({ field: 'comments', fields: comment, node: SaidComment });
    const fields = `${comment} state commit { oid }`;
    const reviews = await list({ field: 'reviews', fields, node: SaidReview });
    const threads = await list({ field: 'reviewThreads', fields: threadFields, node: SaidThread });
    return {
      comments: comments.map((said) => commentOf('comment', said)),
      reviews: reviews.flatMap(reviewOf),
      threads: threads.map(threadOf),
      labels: labels.map(({ name }) => bodyOf(name)),
    } satisfies Discussion;
  };
}

/** Lists the comments on an issue; undefined if there is no such issue. */
export async function issueComments(client: GithubClient, ref: RepositoryRef, number: number): Promise<HostComment[]> {
  const connection = await client.open(ref);
  const { repo } = await requireRepository(client, connection, ref.repo);
  const listed = { subject: 'issue', number, field: 'comments', fields: comment, node: SaidComment } as const;
  return (await listNewest(client, connection, repo, listed)).map((said) => commentOf('comment', said));
}

const threadFields = `id path line diffSide isResolved isOutdated
  first: comments(first: 1) { nodes { ${lineComment} } } last: comments(last: 30) { nodes { ${lineComment} } }`;

/** Lists the newest items, the oldest first. */
async function listNewest<Node extends TSchema>(
  client: GithubClient,
  connection: HostConnection,
  repo: string,
  { subject, number, field, fields, node, maxItems: limit = maxItems }: Listed<Node>,
): Promise<Static<Node>[]> {
  const [owner = '', name = ''] = repo.split('/');
  const query = `query ($owner: String!, $name: String!, $number: Int!, $size: Int!, $before: String) {
    repository(owner: $owner, name: $name) { subject: ${subject}(number: $number) {
      list: ${field}(last: $size, before: $before) { nodes { ${fields} } pageInfo { hasPreviousPage startCursor } }
    } }
  }`;
  const does = `read ${subject === 'issue' ? 'issue' : 'pull request'} ${number}`;
  return inPages(async (size) => {
    const pages: Static<Node>[][] = [];
    let before: string | null = null;
    for (let count = 0, bytes = 0; count < limit && bytes < maxTextBytes;) {
      const variables: Record<string, unknown> = { owner, name, number, size: Math.min(size, limit - count), before };
      const { data } = await client.graphql(connection, { does, query, variables, answer: SaidPage(node) });
      const { subject: found } = data.repository;
      if (found === null) throw missing(does);
      const { nodes, pageInfo } = found.list;
      pages.unshift(nodes);
      count += nodes.length;
      bytes += JSON.stringify(nodes).length;
      before = pageInfo.startCursor;
      if (!pageInfo.hasPreviousPage || before === null) break;
    }
    return pages.flat();
  });
}

function missing(does: string): GithubFailure {
  return new GithubFailure(`GitHub could not ${does}: it does not exist.`, { retryable: false, status: 404 });
}

const reviewStates = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes_requested',
  COMMENTED: 'commented',
  DISMISSED: 'dismissed',
} as const;

/** Leaves out a review that was not submitted yet. */
function reviewOf(said: Static<typeof SaidReview>): HostReview[] {
  const state = Object.entries(reviewStates).find(([name]) => name === said.state)?.[1];
  return state === undefined ? [] : [{ ...commentOf('review', said), state, headSha: said.commit?.oid ?? '' }];
}

function threadOf(thread: Static<typeof SaidThread>): HostThread {
  const [first] = thread.first.nodes;
  const rest = thread.last.nodes.filter(({ fullDatabaseId }) => fullDatabaseId !== first?.fullDatabaseId);
  const comments = [...(first === undefined ? [] : [first]), ...rest].map((said) => commentOf('line', said));
  const reviewId = first?.pullRequestReview?.fullDatabaseId;
  return {
    id: threadId(thread.id, first?.fullDatabaseId),
    path: thread.path,
    line: thread.line,
    side: thread.diffSide === 'LEFT' ? 'old' : 'new',
    isResolved: thread.isResolved,
    isOutdated: thread.isOutdated,
    comments,
    reviewId: typeof reviewId === 'string' ? `review:${reviewId}` : '',
  };
}

/** Returns a thread's id: that of the GraphQL API, which resolves it, and its first comment's, to which the REST API replies. */
function threadId(nodeId: string, commentId: string | null | undefined): string {
  return `${nodeId}.${commentId ?? 0}`;
}

/** Finds the threads that begin with these comments, among the newest. */
export async function threadsOf(
  client: GithubClient,
  connection: HostConnection,
  repo: string,
  number: number,
): Promise<Map<string, string>> {
  const fields = `id path line diffSide isResolved isOutdated
    first: comments(first: 1) { nodes { ${lineComment} } } last: comments(last: 1) { nodes { ${lineComment} } }`;
  const listed = { subject: 'pullRequest', number, field: 'reviewThreads', fields, node: SaidThread } as const;
  const threads = await listNewest(client, connection, repo, { ...listed, maxItems: 200 });
  return new Map(
    threads.map(({ id, first }) => [
      first.nodes[0]?.fullDatabaseId ?? '',
      threadId(id, first.nodes[0]?.fullDatabaseId),
    ]),
  );
}
