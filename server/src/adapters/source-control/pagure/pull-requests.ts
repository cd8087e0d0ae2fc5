import { setTimeout as delay } from 'node:timers/promises';
import type { Static, TSchema } from 'typebox';
import { ProviderError } from '../../../lib/errors.ts';
import { Refusal, type NewChangeRequest, type RepositoryRef } from '../port.ts';
import { PagureRefusal, type PagureClient, type PagureRequest } from './client.ts';
import { requireProject } from './project.ts';
import { contentForm, isWithinProject, timesOf } from './pull-request.ts';
import { Done, NewPullRequest, PullRequest, PullRequestPage, Queued, TaskStatus } from './shapes.ts';

/** Open pull requests are searched for a branch's own in this many pages, newest first. */
const maxPages = 25;
const pageSize = 20;
const maxMergeMs = 60_000;

interface PullRequestTimes {
  readonly number: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Pagure's API of pull requests. Every function throws ProviderError. */
export interface PullRequests {
  /** Undefined if the project has no pull request with this number. */
  read(repository: RepositoryRef, number: number): Promise<PullRequest | undefined>;
  require(repository: RepositoryRef, number: number): Promise<PullRequest>;
  /** Returns the number of the newest open pull request of a branch. */
  findOpen(repository: RepositoryRef, branch: string): Promise<number | undefined>;
  /** Returns when each of the newest 500 changed. */
  times(repository: RepositoryRef): Promise<PullRequestTimes[]>;
  /** Returns the new number. */
  create(repository: RepositoryRef, input: NewChangeRequest): Promise<number>;
  /** Posts a form to a path below that of the pull request, `''` for itself. */
  post(repository: RepositoryRef, number: number, path: string, form: Record<string, string>): Promise<void>;
  /** Merges; returns when Pagure has done so or given up. Throws a retryable ProviderError after a minute. */
  merge(repository: RepositoryRef, number: number): Promise<void>;
  /** Returns the URL of its page. */
  page(repository: RepositoryRef, number: number): Promise<string>;
}

export function createPullRequests(client: PagureClient): PullRequests {
  async function call<Shape extends TSchema>(
    repository: RepositoryRef,
    request: PagureRequest,
    shape: Shape,
    isWhole = false,
  ): Promise<Static<Shape>> {
    const path = `${requireProject(repository.repo).path}/${request.path}`;
    return client.call(repository, { ...request, path }, shape, { isWhole });
  }

  async function read(repository: RepositoryRef, number: number): Promise<PullRequest | undefined> {
    const request = { path: `pull-request/${number}`, query: { comments: 'false' } };
    return call(repository, request, PullRequest, true).catch((error: unknown) => {
      if (error instanceof PagureRefusal && error.code === 'ENOREQ') return undefined;
      throw error;
    });
  }

  async function pageOf(repository: RepositoryRef, status: 'Open' | 'All', page: number) {
    const query = { status, page: String(page), per_page: String(pageSize) };
    return (await call(repository, { path: 'pull-requests', query }, PullRequestPage)).requests;
  }

  return {
    read,
    async require(repository, number) {
      const pull = await read(repository, number);
      if (pull !== undefined) return pull;
      throw new ProviderError(`The repository has no change request ${number}.`, { retryable: false });
    },
    times: (repository) => readTimes((page) => pageOf(repository, 'All', page)),
    async findOpen(repository, branch) {
      for (let page = 1; page <= maxPages; page += 1) {
        const requests = await pageOf(repository, 'Open', page);
        const isOwn = (pull: (typeof requests)[number]) => pull.status === 'Open' && pull.branch_from === branch;
        const found = requests.find((pull) => isOwn(pull) && isWithinProject(pull));
        if (found !== undefined) return found.id;
        if (requests.length < pageSize) return undefined;
      }
      return undefined;
    },
    async create(repository, { headRef, baseRef, ...content }) {
      const form = { ...contentForm(content), branch_from: headRef, branch_to: baseRef };
      const { id } = await call(repository, { method: 'POST', path: 'pull-request/new', form }, NewPullRequest);
      return id;
    },
    async post(repository, number, path, form) {
      await call(repository, { method: 'POST', path: `pull-request/${number}${path}`, form }, Done);
    },
    async merge(repository, number) {
      // Without `wait`, Pagure would answer only when its worker has time.
      const form = { wait: '' };
      const request = { method: 'POST', path: `pull-request/${number}/merge`, form } as const;
      const { taskid } = await call(repository, request, Queued);
      await ended(client, repository, taskid);
    },
    async page(repository, number) {
      const { url } = await client.open(repository);
      return `${url}/${requireProject(repository.repo).path}/pull-request/${number}`;
    },
  };
}

async function readTimes(
  pageOf: (page: number) => Promise<Static<typeof PullRequestPage>['requests']>,
): Promise<PullRequestTimes[]> {
  const found: PullRequestTimes[] = [];
  for (let page = 1; page <= maxPages; page += 1) {
    const requests = await pageOf(page);
    found.push(...requests.map((pull) => ({ number: pull.id, ...timesOf(pull) })));
    if (requests.length < pageSize) break;
  }
  return found;
}

/** Waits for a task of Pagure's. */
async function ended(client: PagureClient, repository: RepositoryRef, taskId: string): Promise<void> {
  for (let waitMs = 100, leftMs = maxMergeMs; leftMs > 0; leftMs -= waitMs, waitMs = Math.min(waitMs * 2, 2_000)) {
    const { ready } = await client.call(repository, { path: `task/${taskId}/status` }, TaskStatus);
    if (ready) return;
    await delay(waitMs);
  }
  throw new ProviderError('Pagure has not merged within a minute. Read the change request later.', {
    retryable: true,
  });
}

export function notOpen({ id, status }: PullRequest): Refusal {
  return new Refusal('not_open', `Change request ${id} is ${status.toLowerCase()}.`);
}
