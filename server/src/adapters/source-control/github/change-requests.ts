import { ProviderError } from '../../../lib/errors.ts';
import type { HostConnection } from '../connection.ts';
import { Refusal, type ChangeRequestContent, type NewChangeRequest, type ProviderChangeRequest } from '../port.ts';
import type { RepositoryRef, SourceControl } from '../port.ts';
import { Comment, DraftChanged, Pull, Pulls } from './answers.ts';
import { nameOf, type GithubClient } from './client.ts';
import { GithubFailure } from './failures.ts';
import { requireRepository } from './repositories.ts';
import { repositoryPath } from './repository-path.ts';

/** GitHub's own limits are 256 and 65,536 characters; another host's texts end here. */
const maxTitle = 1_000;
const maxBody = 262_144;

type Functions = Required<
  Pick<SourceControl, 'openChangeRequest' | 'changeRequest' | 'updateChangeRequest' | 'closeChangeRequest' | 'comment'>
>;

export function changeRequestFunctions(client: GithubClient): Functions {
  return {
    async openChangeRequest(ref, input) {
      const connection = await client.open(ref);
      const existing = await openPullOf(client, connection, ref.repo, input);
      if (existing !== undefined) return { changeRequest: toChangeRequest(existing), created: false };
      try {
        return { changeRequest: toChangeRequest(await create(client, connection, ref.repo, input)), created: true };
      } catch (error) {
        if (!(error instanceof GithubFailure) || error.status !== 422) throw error;
        // Opened at the same time, or before an earlier response was lost.
        const opened = await openPullOf(client, connection, ref.repo, input);
        if (opened !== undefined) return { changeRequest: toChangeRequest(opened), created: false };
        throw openingFailure(error, input);
      }
    },
    async changeRequest(ref, number) {
      const connection = await client.open(ref);
      const pull = await readPull(client, connection, ref.repo, number);
      return pull === undefined ? undefined : toChangeRequest(pull);
    },
    async updateChangeRequest(ref, number, { title, body, draft }) {
      const connection = await client.open(ref);
      requireOpen(await requirePull(client, connection, ref, number));
      const pull = await patch(client, connection, ref.repo, number, { title, body });
      if ((pull.draft ?? false) === draft) return toChangeRequest(pull);
      const { isDraft, updatedAt } = await changeDraft(client, connection, pull, draft);
      return toChangeRequest({ ...pull, draft: isDraft, updated_at: updatedAt });
    },
    async closeChangeRequest(ref, number) {
      const connection = await client.open(ref);
      const pull = await requirePull(client, connection, ref, number);
      if (pull.merged_at !== null) throw notOpen(pull);
      if (pull.state === 'closed') return toChangeRequest(pull);
      return toChangeRequest(await patch(client, connection, ref.repo, number, { state: 'closed' }));
    },
    async comment(ref, number, body) {
      const connection = await client.open(ref);
      client.pace(connection);
      const path = `${repositoryPath(ref.repo)}/issues/${number}/comments`;
      const does = `comment on ${number}`;
      const { data } = await client.call(connection, { does, method: 'POST', path, body: { body }, answer: Comment });
      return { url: data.html_url };
    },
  };
}

/** Describes a pull request. */
export function toChangeRequest(pull: Pull): ProviderChangeRequest {
  const isMerged = pull.merged_at !== null;
  return {
    number: pull.number,
    state: isMerged ? 'merged' : pull.state,
    draft: pull.draft ?? false,
    title: storable(pull.title, maxTitle),
    body: storable(pull.body ?? '', maxBody),
    headRef: pull.head.ref,
    headSha: pull.head.sha,
    isFromFork: !isWithinRepository(pull),
    baseRef: pull.base.ref,
    mergeable: pull.mergeable ?? undefined,
    isBehind: pull.mergeable_state === 'behind',
    url: pull.html_url,
    mergeCommit: isMerged ? (pull.merge_commit_sha ?? '') : '',
    mergedAt: pull.merged_at === null ? null : new Date(pull.merged_at),
    updatedAt: new Date(pull.updated_at),
  };
}

function isWithinRepository({ head, base }: Pull): boolean {
  return head.repo?.full_name === base.repo?.full_name;
}

/** Returns undefined if the repository has no pull request of this number; throws if there is no such repository. */
async function readPull(
  client: GithubClient,
  connection: HostConnection,
  repo: string,
  number: number,
): Promise<Pull | undefined> {
  const path = `${repositoryPath(repo)}/pulls/${number}`;
  try {
    return (await client.call(connection, { does: `read pull request ${number}`, path, answer: Pull })).data;
  } catch (error) {
    if (!(error instanceof GithubFailure) || error.status !== 404) throw error;
    await requireRepository(client, connection, repo);
    return undefined;
  }
}

export async function requirePull(
  client: GithubClient,
  connection: HostConnection,
  { repo }: RepositoryRef,
  number: number,
): Promise<Pull> {
  const pull = await readPull(client, connection, repo, number);
  if (pull !== undefined) return pull;
  throw new ProviderError(`${nameOf(connection)} has no pull request ${number} in ${repo}.`, { retryable: false });
}

/** Returns the open pull request of a branch of the repository itself, preferably with the same base. */
async function openPullOf(
  client: GithubClient,
  connection: HostConnection,
  repo: string,
  { headRef, baseRef }: NewChangeRequest,
): Promise<Pull | undefined> {
  // GitHub finds by the owner's present name only.
  const { repo: present } = await requireRepository(client, connection, repo);
  const query = { state: 'open', head: `${present.split('/')[0] ?? ''}:${headRef}`, per_page: '100' };
  const path = `${repositoryPath(present)}/pulls`;
  const call = { does: `find the pull request of ${headRef}`, path, query, answer: Pulls };
  const { data } = await client.call(connection, call);
  const own = data.filter((pull) => pull.head.ref === headRef && isWithinRepository(pull));
  return own.find(({ base }) => base.ref === baseRef) ?? own[0];
}

async function create(
  client: GithubClient,
  connection: HostConnection,
  repo: string,
  { title, body, draft, headRef: head, baseRef: base }: NewChangeRequest,
): Promise<Pull> {
  const call = {
    does: `open a pull request from ${head} to ${base}`,
    method: 'POST' as const,
    path: `${repositoryPath(repo)}/pulls`,
    body: { title, body, draft, head, base },
    answer: Pull,
  };
  return (await client.call(connection, call)).data;
}

/** Explains why GitHub refused to open a pull request. */
function openingFailure(error: GithubFailure, { headRef }: NewChangeRequest): ProviderError {
  const said = error.reasons.join('; ');
  if (/draft pull requests are not supported/i.test(said))
    return new ProviderError(
      'GitHub offers draft pull requests in this repository only with a paid plan. Open it as ready for review.',
      { retryable: false },
    );
  // A pushed branch reaches all of GitHub's servers a moment later.
  if (/\bhead invalid\b/.test(said))
    return new ProviderError(`GitHub does not know the branch ${headRef} yet, or it was deleted.`, { retryable: true });
  return error;
}

async function patch(
  client: GithubClient,
  connection: HostConnection,
  repo: string,
  number: number,
  body: Partial<Pick<ChangeRequestContent, 'title' | 'body'>> & { state?: 'closed' },
): Promise<Pull> {
  const path = `${repositoryPath(repo)}/pulls/${number}`;
  const does = body.state === undefined ? `update pull request ${number}` : `close pull request ${number}`;
  return (await client.call(connection, { does, method: 'PATCH', path, body, answer: Pull })).data;
}

/** The REST API cannot change a draft. */
async function changeDraft(client: GithubClient, connection: HostConnection, pull: Pull, draft: boolean) {
  const mutation = draft ? 'convertPullRequestToDraft' : 'markPullRequestReadyForReview';
  const { data } = await client.graphql(connection, {
    does: `mark pull request ${pull.number} as ${draft ? 'a draft' : 'ready for review'}`,
    query: `mutation ($id: ID!) {
      changed: ${mutation}(input: { pullRequestId: $id }) { pullRequest { isDraft updatedAt } }
    }`,
    variables: { id: pull.node_id },
    answer: DraftChanged,
  });
  return data.changed.pullRequest;
}

export function requireOpen(pull: Pull): void {
  if (pull.state !== 'open') throw notOpen(pull);
}

function notOpen(pull: Pull): Refusal {
  return new Refusal('not_open', `Pull request ${pull.number} is ${toChangeRequest(pull).state}.`);
}

/** Cuts a text, and removes what a database cannot store. */
function storable(text: string, maxLength: number): string {
  return text.slice(0, maxLength).replaceAll('\0', '').toWellFormed();
}
