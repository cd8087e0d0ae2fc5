import type { Collaboration, HostCheck } from '../collaboration.ts';
import type { HostConnection } from '../connection.ts';
import type { GithubClient } from './client.ts';
import { CheckOutput, CombinedStatus, CommitPulls, Job, Rollup, type RollupContext } from './collaboration-answers.ts';
import { GithubFailure } from './failures.ts';
import { requireRepository } from './repositories.ts';
import { repositoryPath } from './repository-path.ts';
import { Type } from 'typebox';

const maxPages = 10;

/** Checks of commits: check runs, of which those of GitHub Actions have logs, and commit statuses. */
export function checkFunctions(
  client: GithubClient,
): Pick<Collaboration, 'checks' | 'failureLog' | 'rerun' | 'setStatus'> {
  return {
    async checks(ref, headSha) {
      const connection = await client.open(ref);
      const { repo } = await requireRepository(client, connection, ref.repo);
      try {
        return await rollup(client, connection, repo, headSha);
      } catch (error) {
        // A personal access token may not read check runs.
        if (!(error instanceof GithubFailure) || !error.reasons.some(isInaccessible)) throw error;
        return statuses(client, connection, repo, headSha);
      }
    },
    async failureLog(ref, checkId, maxBytes) {
      const run = runOf(checkId);
      if (run === undefined) return '';
      const connection = await client.open(ref);
      const path = `${repositoryPath(ref.repo)}/actions/jobs/${run}/logs`;
      try {
        return lastBytes(
          await client.tail(connection, { does: `read the log of job ${run}`, path }, maxBytes),
          maxBytes,
        );
      } catch (error) {
        // The check is not a job of GitHub Actions, or its log was deleted.
        if (!(error instanceof GithubFailure) || ![404, 410].includes(error.status)) throw error;
        return lastBytes(await outputOf(client, connection, ref.repo, run), maxBytes);
      }
    },
    rerun: async (ref, checkId) => rerun(client, await client.open(ref), ref.repo, checkId),
    async setStatus(ref, headSha, { name, state, description, url }) {
      const connection = await client.open(ref);
      client.pace(connection);
      await client.call(connection, {
        does: `set the status ${name}`,
        method: 'POST',
        path: `${repositoryPath(ref.repo)}/statuses/${headSha}`,
        body: {
          // GitHub has no neutral status.
          state: state === 'neutral' ? 'success' : state,
          context: name,
          description: description.slice(0, 140),
          ...(url === '' ? {} : { target_url: url }),
        },
        answer: Type.Unknown(),
      });
    },
  };
}

const isInaccessible = (reason: string): boolean => reason.startsWith('Resource not accessible by');

/** Reads all checks of a commit; which ones a merge requires is only known for a commit with a pull request. */
async function rollup(client: GithubClient, connection: HostConnection, repo: string, sha: string) {
  const [owner = '', name = ''] = repo.split('/');
  const number = await pullOf(client, connection, repo, sha);
  const required = number === undefined ? '' : 'isRequired(pullRequestNumber: $number)';
  const query = `query ($owner: String!, $name: String!, $sha: GitObjectID!, $after: String${number === undefined ? '' : ', $number: Int!'}) {
    repository(owner: $owner, name: $name) { object(oid: $sha) { ... on Commit { statusCheckRollup {
      contexts(first: 100, after: $after) {
        nodes {
          __typename
          ... on CheckRun { databaseId name status conclusion title detailsUrl completedAt ${required} }
          ... on StatusContext { context state description targetUrl createdAt ${required} }
        }
        pageInfo { hasNextPage endCursor }
      }
    } } } }
  }`;
  const checks = new Map<string, HostCheck>();
  let after: string | null = null;
  for (let page = 0; page < maxPages; page += 1) {
    const variables: Record<string, unknown> = { owner, name, sha, after, ...(number === undefined ? {} : { number }) };
    const call = { does: `read the checks of ${sha}`, query, variables, answer: Rollup };
    const contexts = (await client.graphql(connection, call)).data.repository.object?.statusCheckRollup?.contexts;
    for (const check of (contexts?.nodes ?? []).map(checkOf))
      checks.set(check.name, newest(checks.get(check.name), check));
    if (contexts?.pageInfo.hasNextPage !== true) break;
    after = contexts.pageInfo.endCursor;
  }
  return [...checks.values()];
}

/** Chooses the newer run of a check: GitHub counts ids of runs up. */
function newest(one: HostCheck | undefined, other: HostCheck): HostCheck {
  if (one === undefined) return other;
  return Number(runOf(one.id) ?? 0) > Number(runOf(other.id) ?? 0) ? one : other;
}

async function pullOf(client: GithubClient, connection: HostConnection, repo: string, sha: string) {
  const path = `${repositoryPath(repo)}/commits/${encodeURIComponent(sha)}/pulls`;
  const query = { per_page: '100' };
  const { data } = await client.call(connection, {
    does: `find pull requests of ${sha}`,
    path,
    query,
    answer: CommitPulls,
  });
  return (data.find(({ state }) => state === 'open') ?? data[0])?.number;
}

const conclusions: Readonly<Record<string, HostCheck['state']>> = {
  SUCCESS: 'success',
  NEUTRAL: 'neutral',
  SKIPPED: 'neutral',
  FAILURE: 'failure',
  ACTION_REQUIRED: 'failure',
};
const states: Readonly<Record<string, HostCheck['state']>> = {
  SUCCESS: 'success',
  FAILURE: 'failure',
  ERROR: 'error',
};

function checkOf(context: RollupContext): HostCheck {
  const { isRequired } = context;
  if (context.__typename === 'StatusContext') {
    const { context: name, description, targetUrl, createdAt } = context;
    return statusCheck({ name, state: context.state, description, url: targetUrl, at: createdAt, isRequired });
  }
  const { databaseId, name, status, conclusion, title, detailsUrl, completedAt } = context;
  const isEnded = status === 'COMPLETED';
  return {
    id: `run:${databaseId ?? 0}`,
    name,
    // Canceled, timed out, could not start, or anything that GitHub adds.
    state: isEnded ? (conclusions[conclusion ?? ''] ?? 'error') : 'pending',
    description: (title ?? '').slice(0, 1_000),
    url: detailsUrl ?? '',
    isRequired,
    endedAt: isEnded && completedAt !== null ? new Date(completedAt) : null,
  };
}

function statusCheck(status: {
  name: string;
  state: string;
  description: string | null;
  url: string | null;
  at: string;
  isRequired: boolean | undefined;
}): HostCheck {
  const { name, description, url, at, isRequired } = status;
  const state = states[status.state.toUpperCase()] ?? 'pending';
  const endedAt = state === 'pending' ? null : new Date(at);
  return { id: `status:${name}`, name, state, description: description ?? '', url: url ?? '', isRequired, endedAt };
}

/** Reads the commit statuses alone. */
async function statuses(client: GithubClient, connection: HostConnection, repo: string, sha: string) {
  const found: HostCheck[] = [];
  for (let page = 1; page <= maxPages; page += 1) {
    const query = { per_page: '100', page: String(page) };
    const path = `${repositoryPath(repo)}/commits/${encodeURIComponent(sha)}/status`;
    const { data } = await client.call(connection, {
      does: `read the statuses of ${sha}`,
      path,
      query,
      answer: CombinedStatus,
    });
    for (const { context: name, state, description, target_url: url, updated_at: at } of data.statuses)
      found.push(statusCheck({ name, state, description, url, at, isRequired: undefined }));
    if (data.statuses.length < 100) break;
  }
  return found;
}

/** Returns the id of a check run; undefined for a status, which has no log. */
function runOf(checkId: string): string | undefined {
  return /^run:(\d{1,19})$/.exec(checkId)?.[1];
}

/** Returns what a check run of an App says. */
async function outputOf(client: GithubClient, connection: HostConnection, repo: string, run: string): Promise<string> {
  const path = `${repositoryPath(repo)}/check-runs/${run}`;
  const { data } = await client.call(connection, { does: `read check run ${run}`, path, answer: CheckOutput });
  const { title, summary, text } = data.output;
  return [title, summary, text].filter((part) => part !== null && part !== '').join('\n\n');
}

function lastBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text.toWellFormed());
  // A character cut in two begins as U+FFFD.
  return bytes.length <= maxBytes
    ? text
    : bytes
        .subarray(-maxBytes)
        .toString('utf8')
        .replace(/^\uFFFD+/, '');
}

/** Runs the failed jobs of a job's workflow again; a check run of an App is requested again. */
async function rerun(client: GithubClient, connection: HostConnection, repo: string, checkId: string): Promise<void> {
  const run = runOf(checkId);
  if (run === undefined)
    throw new GithubFailure('A commit status cannot run again: the system that set it runs the check.', {
      retryable: false,
      status: 422,
    });
  const base = repositoryPath(repo);
  const does = `run check ${run} again`;
  let path = `${base}/check-runs/${run}/rerequest`;
  try {
    const call = { does, path: `${base}/actions/jobs/${run}`, answer: Job };
    path = `${base}/actions/runs/${(await client.call(connection, call)).data.run_id}/rerun-failed-jobs`;
  } catch (error) {
    if (!(error instanceof GithubFailure) || error.status !== 404) throw error;
  }
  client.pace(connection);
  await client.call(connection, { does, method: 'POST', path, answer: Type.Unknown() });
}
