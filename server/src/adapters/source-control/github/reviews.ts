import { Type } from 'typebox';
import type { Collaboration, ReviewComment, ReviewToSubmit } from '../collaboration.ts';
import type { HostConnection } from '../connection.ts';
import type { GithubClient } from './client.ts';
import { CreatedComment, CreatedReview, ReviewComments } from './collaboration-answers.ts';
import { threadsOf } from './discussion.ts';
import { GithubFailure } from './failures.ts';
import { requireRepository } from './repositories.ts';
import { repositoryPath } from './repository-path.ts';

type Functions = Pick<Collaboration, 'submitReview' | 'reply' | 'resolveThread' | 'updateComment' | 'acknowledge'>;

/** Members that write on pull requests. */
export function reviewFunctions(client: GithubClient): Functions {
  return {
    submitReview: async (ref, number, review) => {
      const connection = await client.open(ref);
      const { repo } = await requireRepository(client, connection, ref.repo);
      return submit(client, connection, { repo, number, review });
    },
    async reply(ref, number, threadId, body) {
      const { comment } = partsOf(threadId);
      const connection = await client.open(ref);
      client.pace(connection);
      const path = `${repositoryPath(ref.repo)}/pulls/${number}/comments/${comment}/replies`;
      const does = `reply on pull request ${number}`;
      const call = { does, method: 'POST', path, body: { body }, answer: CreatedComment } as const;
      return { url: (await client.call(connection, call)).data.html_url };
    },
    async resolveThread(ref, number, threadId) {
      const { thread } = partsOf(threadId);
      const connection = await client.open(ref);
      await client.graphql(connection, {
        does: `resolve a thread of pull request ${number}`,
        query: `mutation ($id: ID!) { resolveReviewThread(input: { threadId: $id }) { thread { isResolved } } }`,
        variables: { id: thread },
        answer: Type.Object({ data: Type.Unknown() }),
      });
    },
    async updateComment(ref, number, id, body) {
      const { kind, comment } = commentOf(id);
      const connection = await client.open(ref);
      client.pace(connection);
      const base = repositoryPath(ref.repo);
      const path =
        kind === 'review'
          ? `${base}/pulls/${number}/reviews/${comment}`
          : `${base}/${kind === 'line' ? 'pulls' : 'issues'}/comments/${comment}`;
      const method = kind === 'review' ? 'PUT' : 'PATCH';
      const does = `change a comment on pull request ${number}`;
      await client.call(connection, { does, method, path, body: { body }, answer: Type.Unknown() });
    },
    async acknowledge(ref, number, id) {
      const { kind, comment } = commentOf(id);
      // The REST API has no reactions to reviews.
      if (kind === 'review') return;
      const connection = await client.open(ref);
      client.pace(connection);
      const path = `${repositoryPath(ref.repo)}/${kind === 'line' ? 'pulls' : 'issues'}/comments/${comment}/reactions`;
      const does = `react to a comment on ${number}`;
      await client.call(connection, { does, method: 'POST', path, body: { content: 'eyes' }, answer: Type.Unknown() });
    },
  };
}

/** Returns the parts of a thread's id, see `threadId`. */
function partsOf(id: string): { thread: string; comment: string } {
  const [, thread, comment] = /^([\w=+/-]{1,200})\.(\d{1,19})$/.exec(id) ?? [];
  if (thread === undefined || comment === undefined) throw unknown('thread');
  return { thread, comment };
}

function commentOf(id: string): { kind: string; comment: string } {
  const [, kind, comment] = /^(comment|line|review):(\d{1,19})$/.exec(id) ?? [];
  if (kind === undefined || comment === undefined) throw unknown('comment');
  return { kind, comment };
}

function unknown(what: string): GithubFailure {
  return new GithubFailure(`The pull request has no such ${what}.`, { retryable: false, status: 404 });
}

interface Submitting {
  readonly repo: string;
  readonly number: number;
  readonly review: ReviewToSubmit;
}

async function submit(client: GithubClient, connection: HostConnection, submitting: Submitting) {
  const { repo, number, review } = submitting;
  const event = review.verdict === 'request_changes' ? 'REQUEST_CHANGES' : 'COMMENT';
  const { created, isWhole } = await postReview(client, connection, submitting, event, review.comments);
  const known = isWhole
    ? await commentsOf(client, connection, submitting, created.id)
    : await postOneByOne(client, connection, submitting);
  const threads =
    review.comments.length === 0 ? new Map<string, string>() : await threadsOf(client, connection, repo, number);
  const threadIds = known.map((id) => threads.get(String(id)) ?? '');
  return { id: `review:${created.id}`, url: created.html_url, threadIds };
}

/** Posts a review with its comments; without them if GitHub refuses a line of one. */
async function postReview(
  client: GithubClient,
  connection: HostConnection,
  submitting: Submitting,
  event: 'REQUEST_CHANGES' | 'COMMENT',
  comments: readonly ReviewComment[],
): Promise<{ created: { id: number; html_url: string }; isWhole: boolean }> {
  const { repo, number, review } = submitting;
  client.pace(connection);
  try {
    const { data } = await client.call(connection, {
      does: `review pull request ${number}`,
      method: 'POST',
      path: `${repositoryPath(repo)}/pulls/${number}/reviews`,
      body: { commit_id: review.headSha, body: review.body, event, comments: comments.map(lineOf) },
      answer: CreatedReview,
    });
    return { created: data, isWhole: comments.length === review.comments.length };
  } catch (error) {
    if (!(error instanceof GithubFailure) || error.status !== 422) throw error;
    // The author of a pull request may only comment on it.
    if (event === 'REQUEST_CHANGES' && error.reasons.some((reason) => /your own pull request/i.test(reason)))
      return postReview(client, connection, submitting, 'COMMENT', comments);
    if (comments.length === 0) throw error;
    return postReview(client, connection, submitting, event, []);
  }
}

function lineOf({ path, line, startLine, side, body }: ReviewComment) {
  const at = side === 'old' ? 'LEFT' : 'RIGHT';
  const start = startLine === null || startLine >= line ? {} : { start_line: startLine, start_side: at };
  return { path, line, side: at, body, ...start };
}

/** Returns the ids of a review's comments in the order in which they were sent; undefined for a missing one. */
async function commentsOf(
  client: GithubClient,
  connection: HostConnection,
  { repo, number, review }: Submitting,
  reviewId: number,
): Promise<(number | undefined)[]> {
  if (review.comments.length === 0) return [];
  const path = `${repositoryPath(repo)}/pulls/${number}/reviews/${reviewId}/comments`;
  const call = { does: 'read the review', path, query: { per_page: '100' }, answer: ReviewComments };
  const { data } = await client.call(connection, call);
  const left = data.toSorted((one, other) => one.id - other.id);
  return review.comments.map(({ path: file, body }) => {
    const at = left.findIndex((found) => found.path === file && found.body.trim() === body.trim());
    return at === -1 ? undefined : left.splice(at, 1)[0]?.id;
  });
}

/** Posts comments without the ones that GitHub refuses; returns their ids in order. */
async function postOneByOne(
  client: GithubClient,
  connection: HostConnection,
  { repo, number, review }: Submitting,
): Promise<(number | undefined)[]> {
  const ids: (number | undefined)[] = [];
  for (const comment of review.comments) {
    client.pace(connection);
    const call = {
      does: `comment on pull request ${number}`,
      method: 'POST',
      path: `${repositoryPath(repo)}/pulls/${number}/comments`,
      body: { commit_id: review.headSha, ...lineOf(comment) },
      answer: CreatedComment,
    } as const;
    ids.push(
      await client.call(connection, call).then(
        ({ data }) => data.id,
        (error: unknown) => {
          if (error instanceof GithubFailure && error.status === 422) return undefined;
          throw error;
        },
      ),
    );
  }
  return ids;
}
