import { ProviderError } from '../../../lib/errors.ts';
import { Refusal, type ProviderChangeRequest, type RepositoryRef } from '../port.ts';
import { toChangeRequest } from './change-request.ts';
import { parsed, type GitlabClient } from './client.ts';
import type { GitlabAnswer } from './exchange.ts';
import { hostOf, messageIn } from './problems.ts';
import { MergeRequest } from './shapes.ts';

/** A merge request as GitLab described it last. */
export interface Described {
  readonly said: MergeRequest;
  readonly answer: GitlabAnswer;
}

/** Undefined if the project has no merge request with this number. */
export async function find(
  client: GitlabClient,
  repository: RepositoryRef,
  number: number,
): Promise<Described | undefined> {
  const answer = await client.inProject(repository, { path: pathOf(number) });
  const isGone = answer.status === 404 && !/project/i.test(messageIn(answer.body));
  return isGone ? undefined : described(answer);
}

export async function require(client: GitlabClient, repository: RepositoryRef, number: number): Promise<Described> {
  const found = await find(client, repository, number);
  if (found !== undefined) return found;
  throw new ProviderError(`${repository.repo} has no merge request !${number}.`, { retryable: false });
}

export function pathOf(number: number): string {
  return `merge_requests/${number}`;
}

export function describe({ said }: Described): ProviderChangeRequest {
  return toChangeRequest(said);
}

export function described(answer: GitlabAnswer): Described {
  return { said: parsed(MergeRequest, answer), answer };
}

/** The refusal to change a merge request that is merged, closed or being merged. */
export function notOpen({ said, answer }: Described): Refusal {
  const state = said.state === 'locked' ? 'being merged' : said.state;
  return new Refusal('not_open', `Merge request !${said.iid} at ${hostOf(answer.connection)} is ${state}.`);
}
