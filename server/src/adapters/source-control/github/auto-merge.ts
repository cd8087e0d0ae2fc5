import { Type } from 'typebox';
import type { Collaboration } from '../collaboration.ts';
import type { HostConnection } from '../connection.ts';
import { Refusal } from '../port.ts';
import { Merged } from './answers.ts';
import type { GithubClient } from './client.ts';
import { AutoMergeState } from './collaboration-answers.ts';
import { GithubFailure } from './failures.ts';
import { requireRepository } from './repositories.ts';
import { repositoryPath } from './repository-path.ts';

const done = Type.Object({ data: Type.Unknown() });

/** Lets GitHub merge a pull request: by its merge queue if the branch has one, else by auto-merge, or at once if nothing is missing. */
export function autoMergeFunction(client: GithubClient): Collaboration['enableAutoMerge'] {
  return async (ref, number, method, headSha) => {
    const connection = await client.open(ref);
    const { repo } = await requireRepository(client, connection, ref.repo);
    const pull = await readState(client, connection, repo, number);
    if (pull.state === 'MERGED') return;
    if (pull.state !== 'OPEN') throw new Refusal('not_open', `Pull request ${number} is closed.`);
    if (pull.headRefOid !== headSha)
      throw new Refusal('branch_moved', `The branch of pull request ${number} has other commits by now.`);
    if (isOn(pull)) return;
    try {
      await client.graphql(connection, {
        does: `let GitHub merge pull request ${number}`,
        query: `mutation ($id: ID!, $method: PullRequestMergeMethod!, $head: GitObjectID!) {
          enablePullRequestAutoMerge(input: { pullRequestId: $id, mergeMethod: $method, expectedHeadOid: $head }) {
            pullRequest { id }
          }
        }`,
        variables: { id: pull.id, method: method.toUpperCase(), head: headSha },
        answer: done,
      });
    } catch (error) {
      if (!(error instanceof GithubFailure)) throw error;
      // GitHub refuses to wait for nothing.
      if (!error.reasons.some((reason) => /in clean status/i.test(reason))) throw explained(error);
      if (pull.isMergeQueueEnabled) await enqueue(client, connection, number, pull);
      else await mergeNow(client, connection, repo, number, { method, sha: pull.headRefOid });
    }
  };
}

/** Takes a pull request out of the merge queue, and turns its auto-merge off. */
export function noAutoMergeFunction(client: GithubClient): Collaboration['disableAutoMerge'] {
  return async (ref, number) => {
    const connection = await client.open(ref);
    const { repo } = await requireRepository(client, connection, ref.repo);
    const pull = await readState(client, connection, repo, number);
    if (pull.state !== 'OPEN') return;
    const variables = { id: pull.id };
    const does = `keep GitHub from merging pull request ${number}`;
    try {
      if (pull.isInMergeQueue) {
        const query = 'mutation ($id: ID!) { dequeuePullRequest(input: { id: $id }) { clientMutationId } }';
        await client.graphql(connection, { does, query, variables, answer: done });
      }
      if (pull.autoMergeRequest !== null) {
        const query =
          'mutation ($id: ID!) { disablePullRequestAutoMerge(input: { pullRequestId: $id }) { clientMutationId } }';
        await client.graphql(connection, { does, query, variables, answer: done });
      }
    } catch (error) {
      if (!(error instanceof GithubFailure) || error.retryable) throw error;
      // It may have ended meanwhile.
      const after = await readState(client, connection, repo, number);
      if (after.state === 'OPEN' && isOn(after)) throw error;
    }
  };
}

type State = Awaited<ReturnType<typeof readState>>;

function isOn({ autoMergeRequest, isInMergeQueue }: State): boolean {
  return autoMergeRequest !== null || isInMergeQueue;
}

async function readState(client: GithubClient, connection: HostConnection, repo: string, number: number) {
  const [owner, name] = repo.split('/');
  const { data } = await client.graphql(connection, {
    does: `read pull request ${number}`,
    query: `query ($owner: String!, $name: String!, $number: Int!) {
      repository(owner: $owner, name: $name) { pullRequest(number: $number) {
        id state headRefOid isInMergeQueue isMergeQueueEnabled autoMergeRequest { enabledAt }
      } }
    }`,
    variables: { owner, name, number },
    answer: AutoMergeState,
  });
  return data.repository.pullRequest;
}

async function enqueue(
  client: GithubClient,
  connection: HostConnection,
  number: number,
  { id, headRefOid }: { id: string; headRefOid: string },
): Promise<void> {
  await client.graphql(connection, {
    does: `add pull request ${number} to the merge queue`,
    query: `mutation ($id: ID!, $head: GitObjectID!) {
      enqueuePullRequest(input: { pullRequestId: $id, expectedHeadOid: $head }) { mergeQueueEntry { id } }
    }`,
    variables: { id, head: headRefOid },
    answer: done,
  });
}

async function mergeNow(
  client: GithubClient,
  connection: HostConnection,
  repo: string,
  number: number,
  { method, sha }: { method: string; sha: string },
): Promise<void> {
  const path = `${repositoryPath(repo)}/pulls/${number}/merge`;
  const body = { sha, merge_method: method };
  await client.call(connection, { does: `merge pull request ${number}`, method: 'PUT', path, body, answer: Merged });
}

function explained(error: GithubFailure): GithubFailure {
  if (!error.reasons.some((reason) => /auto.?merge is not allowed/i.test(reason))) return error;
  return new GithubFailure(
    'GitHub does not merge by itself in this repository. Allow auto-merge in its settings there.',
    {
      retryable: false,
      status: error.status,
      reasons: error.reasons,
    },
  );
}
