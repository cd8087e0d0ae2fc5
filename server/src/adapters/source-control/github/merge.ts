import { setTimeout as delay } from 'node:timers/promises';
import type { HostConnection } from '../connection.ts';
import { Refusal, type MergeChangeRequest, type RepositoryRef, type SourceControl } from '../port.ts';
import { Merged, type Pull } from './answers.ts';
import { requireOpen, requirePull, toChangeRequest } from './change-requests.ts';
import type { GithubClient } from './client.ts';
import { GithubFailure } from './failures.ts';
import { repositoryPath } from './repository-path.ts';

/** GitHub determines if a pull request is mergeable in the background. */
const readings = 5;
const readingMs = 500;

/**
 * Merges a pull request. GitHub merges one at most once, so a repetition after a lost response reads the first merge. The
 * commit's author is the connection's account.
 */
export function mergeFunction(client: GithubClient): SourceControl['mergeChangeRequest'] {
  return async (ref, number, input) => {
    const connection = await client.open(ref);
    const pull = await requirePull(client, connection, ref, number);
    if (pull.merged_at !== null) return toChangeRequest(pull);
    requireOpen(pull);
    await merge(client, connection, ref, number, input);
    return toChangeRequest(await requirePull(client, connection, ref, number));
  };
}

async function merge(
  client: GithubClient,
  connection: HostConnection,
  ref: RepositoryRef,
  number: number,
  { method, headSha, message }: MergeChangeRequest,
): Promise<void> {
  const [title = '', ...rest] = message.split('\n');
  try {
    await client.call(connection, {
      does: `merge pull request ${number}`,
      method: 'PUT',
      path: `${repositoryPath(ref.repo)}/pulls/${number}/merge`,
      body: { sha: headSha, merge_method: method, commit_title: title, commit_message: rest.join('\n').trim() },
      answer: Merged,
    });
  } catch (error) {
    if (!(error instanceof GithubFailure) || ![405, 409, 422].includes(error.status)) throw error;
    const refusal = refusalOf(await determined(client, connection, ref, number), headSha, error);
    if (refusal !== undefined) throw refusal;
  }
}

/** Returns why GitHub refused a merge; undefined if it is merged after all. */
function refusalOf(pull: Pull, headSha: string, error: GithubFailure): Error | undefined {
  const { number, head, base } = pull;
  if (pull.merged_at !== null) return undefined;
  if (pull.state !== 'open') return new Refusal('not_open', `Pull request ${number} is closed.`);
  if (head.sha !== headSha)
    return new Refusal('branch_moved', `${head.ref} has new commits. Review them, then merge pull request ${number}.`);
  if (pull.mergeable === false)
    return new Refusal('merge_conflict', `${head.ref} conflicts with ${base.ref}. Merge ${base.ref} into it first.`);
  if (pull.draft === true)
    return new GithubFailure(`Pull request ${number} is a draft. Mark it as ready for review, then merge it.`, {
      retryable: false,
      status: error.status,
    });
  return new GithubFailure(error.message, {
    // Another merge came first.
    retryable: error.reasons.some((reason) => reason.startsWith('Base branch was modified')),
    status: error.status,
    reasons: error.reasons,
  });
}

/** Reads a pull request until GitHub has determined if it is mergeable, but not for long. */
async function determined(
  client: GithubClient,
  connection: HostConnection,
  ref: RepositoryRef,
  number: number,
): Promise<Pull> {
  for (let reading = 1; ; reading += 1) {
    const pull = await requirePull(client, connection, ref, number);
    if (pull.state !== 'open' || typeof pull.mergeable === 'boolean' || reading === readings) return pull;
    await delay(readingMs);
  }
}
