import type { Resolvers } from './graphql.ts';
import { allows, sees } from './grants.ts';
import { nodeId, refresh } from './pulls.ts';
import type { World } from './route.ts';
import { newestStatuses } from './check-routes.ts';
import { isOutdated } from './said.ts';
import { type Account, type Comment, type Thread } from './said-state.ts';
import type { Grant, Pull, Repository } from './state.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** Queries and mutations about what is said in a repository, and about automatic merges. */
export function saidResolvers(world: World, grant: Grant): Resolvers {
  const writable = (one: Repository | undefined): Repository => {
    if (one === undefined) throw new Error('Could not resolve to a node with the global id');
    if (!allows(grant, one, 'pull_requests', 'write')) throw new Error('Resource not accessible by integration');
    return one;
  };
  return {
    repository({ owner, name }) {
      const wanted = `${String(owner)}/${String(name)}`.toLowerCase();
      const known = world.repositories.find((one) => one.name.toLowerCase() === wanted);
      if (known === undefined || !sees(grant, known)) throw new Error('Could not resolve to a Repository');
      return repositoryNode(world, grant, known);
    },
    resolveReviewThread({ input }) {
      const id: unknown = Object(input)['threadId'];
      const has = ({ threads }: Repository): boolean => threads.some((thread) => thread.id === id);
      const thread = writable(world.repositories.find(has)).threads.find((one) => one.id === id);
      if (thread !== undefined) thread.isResolved = true;
      return { thread: { isResolved: true } };
    },
    async enablePullRequestAutoMerge({ input }) {
      const { repository, pull } = found(world, writable, input);
      const head = Object(input)['expectedHeadOid'];
      if (head !== undefined && head !== pull.headSha) throw new Error('Head sha does not match');
      if (!repository.allowsAutoMerge) throw new Error('Pull request Auto merge is not allowed for this repository');
      if (await isClean(repository, pull)) throw new Error('Pull request Pull request is in clean status');
      repository.autoMerging.set(pull.number, 'auto');
      return { pullRequest: { id: nodeId(pull) } };
    },
    disablePullRequestAutoMerge({ input }) {
      const { repository, pull } = found(world, writable, input);
      if (repository.autoMerging.get(pull.number) !== 'auto')
        throw new Error("Can't disable auto-merge for this pull request");
      repository.autoMerging.delete(pull.number);
      return { clientMutationId: null };
    },
    dequeuePullRequest({ input }) {
      const { repository, pull } = found(world, writable, { pullRequestId: Object(input)['id'] });
      if (repository.autoMerging.get(pull.number) !== 'queue')
        throw new Error('The pull request is not in the merge queue');
      repository.autoMerging.delete(pull.number);
      return { clientMutationId: null };
    },
    enqueuePullRequest({ input }) {
      const { repository, pull } = found(world, writable, input);
      if (!repository.hasMergeQueue) throw new Error('The branch has no merge queue');
      if (Object(input)['expectedHeadOid'] !== pull.headSha) throw new Error('Head ref was modified');
      repository.autoMerging.set(pull.number, 'queue');
      return { mergeQueueEntry: { id: `MQE_${pull.id}` } };
    },
  };
}

function found(world: World, writable: (repository: Repository | undefined) => Repository, input: unknown) {
  const id: unknown = Object(input)['pullRequestId'];
  const repository = writable(world.repositories.find(({ pulls }) => pulls.some((pull) => nodeId(pull) === id)));
  const pull = repository.pulls.find((one) => nodeId(one) === id);
  if (pull === undefined) throw new Error('Could not resolve to a node with the global id');
  return { repository, pull };
}

/** A pull request is clean when every required check of its head succeeded. */
async function isClean(repository: Repository, pull: Pull): Promise<boolean> {
  const passed = new Set([
    ...newestStatuses(repository, pull.headSha).flatMap(({ context, state }) => (state === 'success' ? [context] : [])),
    ...repository.checkRuns.flatMap(({ sha, name, conclusion }) =>
      sha === pull.headSha && conclusion === 'SUCCESS' ? [name] : [],
    ),
  ]);
  return [...repository.requiredChecks].every((name) => passed.has(name));
}

function repositoryNode(world: World, grant: Grant, repository: Repository) {
  return {
    async pullRequest({ number }: Arguments) {
      const pull = repository.pulls.find((one) => one.number === number);
      if (pull === undefined)
        throw new Error(`Could not resolve to a PullRequest with the number of ${String(number)}.`);
      await refresh(repository, pull, world.now());
      return pullNode(repository, pull);
    },
    issue({ number }: Arguments) {
      if (!repository.issues.some((one) => one.number === number))
        throw new Error(`Could not resolve to an Issue with the number of ${String(number)}.`);
      return { comments: connection(commentsOn(repository, Number(number))) };
    },
    object: ({ oid }: Arguments) => ({
      __typename: 'Commit',
      statusCheckRollup: () => rollup(grant, repository, String(oid)),
    }),
  };
}

function pullNode(repository: Repository, pull: Pull) {
  const { number } = pull;
  const waiting = repository.autoMerging.get(number);
  const reviews = repository.reviews.filter((one) => one.number === number);
  return {
    id: nodeId(pull),
    state: pull.mergedAt === null ? pull.state.toUpperCase() : 'MERGED',
    headRefOid: pull.headSha,
    isInMergeQueue: waiting === 'queue',
    isMergeQueueEnabled: repository.hasMergeQueue,
    autoMergeRequest: waiting === 'auto' ? { enabledAt: pull.updatedAt } : null,
    labels: connection((repository.labels.get(number) ?? []).map((name) => ({ name }))),
    comments: connection(commentsOn(repository, number)),
    reviews: connection(reviews.map((one) => ({ ...commentNode(one), state: one.state, commit: { oid: one.commit } }))),
    reviewThreads: connection(
      repository.threads.filter((one) => one.number === number).map((thread) => threadNode(repository, pull, thread)),
    ),
  };
}

function commentsOn({ comments }: Repository, number: number) {
  return comments.filter((one) => one.number === number).map(commentNode);
}

function threadNode(repository: Repository, pull: Pull, thread: Thread) {
  const { id, path, line, side: diffSide, isResolved, reviewId, comments } = thread;
  const nodes = comments.map((one) => ({
    ...commentNode(one),
    pullRequestReview: { fullDatabaseId: String(reviewId) },
  }));
  return {
    id,
    path,
    line,
    diffSide,
    isResolved,
    comments: connection(nodes),
    isOutdated: () => isOutdated(repository, pull, thread),
  };
}

function commentNode({ id, body, author, createdAt }: Comment) {
  const url = `https://github.example/comments/${id}`;
  return { fullDatabaseId: String(id), body, author: actorNode(author), url, createdAt };
}

/** The GraphQL API names Apps without `[bot]`. */
function actorNode({ login, isBot }: Account) {
  return { __typename: isBot ? 'Bot' : 'User', login: login.replace(/\[bot\]$/, '') };
}

/** Pages through a list from either end, by index. */
function connection<T>(items: readonly T[]) {
  return ({ first, last, before, after }: Arguments) => {
    const until = typeof before === 'string' ? Number(before) : items.length;
    const from = typeof after === 'string' ? Number(after) : 0;
    const size = Number(last ?? first ?? 100);
    if (size > 100) throw new Error('Requesting too many records.');
    const [start, end] =
      typeof last === 'number' ? [Math.max(from, until - size), until] : [from, Math.min(until, from + size)];
    return {
      nodes: items.slice(start, end),
      pageInfo: {
        hasPreviousPage: start > 0,
        hasNextPage: end < items.length,
        startCursor: String(start),
        endCursor: String(end),
      },
    };
  };
}

function rollup(grant: Grant, repository: Repository, sha: string) {
  const runs = repository.checkRuns.filter((one) => one.sha === sha);
  if (runs.length > 0 && !allows(grant, repository, 'checks', 'read'))
    throw new Error('Resource not accessible by personal access token');
  const isRequired = (name: string) => () => repository.requiredChecks.has(name);
  const contexts = [
    ...runs.map(({ id, name, status, conclusion, completedAt }) => ({
      __typename: 'CheckRun',
      databaseId: id,
      name,
      status,
      conclusion,
      completedAt,
      title: null,
      detailsUrl: `https://github.example/jobs/${id}`,
      isRequired: isRequired(name),
    })),
    ...newestStatuses(repository, sha).map(({ context, state, description, url, at }) => ({
      __typename: 'StatusContext',
      context,
      state: state.toUpperCase(),
      description,
      createdAt: at,
      targetUrl: url === '' ? null : url,
      isRequired: isRequired(context),
    })),
  ];
  return contexts.length === 0 ? null : { contexts: connection(contexts) };
}
