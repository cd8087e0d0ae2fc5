import type { BareRepository } from '../git-server.ts';
import { repositoryFields } from './describe.ts';
import type { OpenApiJudge } from './openapi.ts';
import { refusal, type Pull, type Repository } from './state.ts';

/** Returns the time as GitHub writes it: in whole seconds. */
export function instant(now: Date): string {
  return `${now.toISOString().slice(0, 19)}Z`;
}

/** Follows the branches: a new head is the pull request's, and without its branches it is closed. */
export async function refresh({ bare }: Repository, pull: Pull, now: Date): Promise<void> {
  if (pull.state !== 'open') return;
  const [head, base] = await Promise.all([headOf(bare, pull.headRef), headOf(bare, pull.baseRef)]);
  if (head === undefined || base === undefined) {
    pull.state = 'closed';
    pull.updatedAt = instant(now);
    return;
  }
  if (head !== pull.headSha) pull.updatedAt = instant(now);
  pull.headSha = head;
  pull.baseSha = base;
  if (pull.determined !== `${base} ${head}`) pull.mergeable = null;
}

/** Determines if a pull request merges. GitHub does it in the background: the first read does not know it yet. */
export async function determine({ bare }: Repository, pull: Pull): Promise<void> {
  const base = (await headOf(bare, pull.baseRef)) ?? '';
  pull.mergeable = (await bare.conflicts(base, pull.headSha)).length === 0;
  pull.lacksCommits = (await bare.git('rev-list', '--count', base, `^${pull.headSha}`)).trim() !== '0';
  pull.determined = `${base} ${pull.headSha}`;
}

/** Returns the commit of a branch; undefined if it does not exist. */
export function headOf(bare: BareRepository, branch: string): Promise<string | undefined> {
  return bare.commit(`refs/heads/${branch}`);
}

/** Merges a pull request as GitHub does; returns the commit. Throws the refusal. */
export async function merge(
  repository: Repository,
  pull: Pull,
  { method, sha, message, now }: { method: 'merge' | 'squash'; sha: unknown; message: string; now: Date },
): Promise<string> {
  const { bare } = repository;
  if (pull.state !== 'open') throw refusal(405, 'Pull Request is not mergeable');
  if (pull.draft) throw refusal(405, 'Pull Request is still a draft');
  if (sha !== undefined && sha !== pull.headSha)
    throw refusal(409, 'Head branch was modified. Review and try the merge again.');
  await determine(repository, pull);
  if (pull.mergeable !== true || (repository.requiresUpToDate && pull.lacksCommits))
    throw refusal(405, 'Pull Request is not mergeable');
  const { commit } = await bare.merge({ branch: pull.baseRef, head: pull.headSha, message, method });
  pull.mergeCommit = commit;
  pull.state = 'closed';
  pull.mergedAt = instant(now);
  pull.updatedAt = instant(now);
  return commit;
}

/** Describes a pull request: GitHub's example with the values of this one. */
export function describePull(
  judge: OpenApiJudge,
  url: string,
  repository: Repository,
  pull: Pull,
  isOne: boolean,
): Record<string, unknown> {
  const { name } = repository;
  const example = judge.example('get /repos/{owner}/{repo}/pulls/{pull_number}', 200);
  const repo = repositoryFields(judge, url, repository);
  const side = (kind: 'head' | 'base', ref: string, sha: string) => ({
    ...Object(example[kind]),
    label: `${name.split('/')[0]}:${ref}`,
    ref,
    sha,
    repo,
  });
  const head = side('head', pull.headRef, pull.headSha);
  return {
    ...example,
    id: pull.id,
    node_id: nodeId(pull),
    number: pull.number,
    // The example's lacks what its own schema requires.
    requested_teams: [],
    html_url: `${url}/${name}/pull/${pull.number}`,
    state: pull.state,
    title: pull.title,
    body: pull.body,
    draft: pull.draft,
    head: { ...head, repo: { ...repo, ...(pull.fork === undefined ? {} : { full_name: pull.fork }) } },
    base: side('base', pull.baseRef, pull.baseSha),
    created_at: pull.createdAt,
    updated_at: pull.updatedAt,
    merged_at: pull.mergedAt,
    closed_at: pull.state === 'closed' ? pull.updatedAt : null,
    merge_commit_sha: pull.mergeCommit,
    ...(isOne
      ? {
          merged: pull.mergedAt !== null,
          mergeable: pull.state === 'open' ? pull.mergeable : null,
          mergeable_state: mergeableState(repository, pull),
        }
      : { merged: undefined, mergeable: undefined, mergeable_state: undefined }),
  };
}

function mergeableState({ requiresUpToDate }: Repository, { state, mergeable, lacksCommits }: Pull): string {
  if (state !== 'open' || mergeable === null) return 'unknown';
  if (!mergeable) return 'dirty';
  return requiresUpToDate && lacksCommits ? 'behind' : 'clean';
}

export function nodeId({ id }: Pick<Pull, 'id'>): string {
  return `PR_${id}`;
}
