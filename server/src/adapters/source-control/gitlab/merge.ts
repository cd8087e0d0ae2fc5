import { ProviderError } from '../../../lib/errors.ts';
import { Refusal, type MergeChangeRequest, type RepositoryRef, type SourceControl } from '../port.ts';
import { isUnchecked } from './change-request.ts';
import { describe, notOpen, pathOf, require, type Described } from './described.ts';
import type { GitlabClient } from './client.ts';
import type { GitlabAnswer } from './exchange.ts';
import { messageIn } from './problems.ts';

/**
 * Merges at most once: GitLab merges only an open merge request at the given commit, and it is read first, so that a repetition
 * after a lost answer finds the merge.
 */
export function mergeFunction(client: GitlabClient): SourceControl['mergeChangeRequest'] {
  return async (repository, number, input) => {
    const before = await require(client, repository, number);
    if (before.said.state === 'merged') return describe(before);
    if (before.said.state === 'closed') throw notOpen(before);
    const answer = await ask(client, repository, number, input);
    const after = await require(client, repository, number);
    if (after.said.state === 'merged') return describe(after);
    throw reasonOf(after, answer, input);
  };
}

function ask(client: GitlabClient, repository: RepositoryRef, number: number, input: MergeChangeRequest) {
  const isSquash = input.method === 'squash';
  return client.inProject(repository, {
    method: 'PUT',
    path: `${pathOf(number)}/merge`,
    body: {
      sha: input.headSha,
      squash: isSquash,
      [isSquash ? 'squash_commit_message' : 'merge_commit_message']: input.message,
      should_remove_source_branch: false,
    },
    isRoleChecked: true,
  });
}

/** Explains by the merge request's state why GitLab has not merged it. */
export function reasonOf(
  after: Described,
  { status, body }: GitlabAnswer,
  { headSha }: { headSha: string },
): ProviderError {
  const { said } = after;
  const name = `!${said.iid}`;
  if (said.state === 'closed') return notOpen(after);
  if (said.sha !== null && said.sha !== headSha)
    return new Refusal('branch_moved', `The branch ${JSON.stringify(said.source_branch)} has other commits by now.`);
  if (said.has_conflicts === true || said.detailed_merge_status === 'conflict')
    return new Refusal('merge_conflict', `${said.target_branch} and ${name} touch the same lines.`);
  if (isUnchecked(said))
    return new ProviderError(`GitLab is still checking or merging ${name}. Try again in a few seconds.`, {
      retryable: true,
    });
  if (status === 401 || status === 403)
    return new ProviderError(
      `The token's account may not merge into ${said.target_branch}. Give it a role that the branch's protection allows.`,
      { retryable: false },
    );
  const why = waitsFor[said.detailed_merge_status ?? ''] ?? messageIn(body);
  return new ProviderError(`GitLab does not merge ${name}: ${why}.`, { retryable: false });
}

/** GitLab's `detailed_merge_status` as the end of a sentence. */
const waitsFor: Readonly<Record<string, string>> = {
  blocked_status: 'another merge request blocks it',
  broken_status: 'GitLab cannot merge the branches, for example because one was deleted',
  ci_must_pass: 'its pipeline has not succeeded',
  ci_still_running: 'its pipeline is still running',
  commits_status: 'its source branch is missing or has no commits of its own',
  discussions_not_resolved: 'it has unresolved threads',
  draft_status: 'it is a draft',
  external_status_checks: 'its external status checks have not passed',
  jira_association_missing: 'its title or description must name a Jira issue',
  locked_lfs_files: 'it changes locked LFS files',
  locked_paths: 'it changes locked paths',
  merge_request_blocked: 'another merge request blocks it',
  merge_time: 'it may be merged later only',
  need_rebase: 'its branch must be rebased first',
  not_approved: 'it lacks approvals',
  not_open: 'it is not open',
  policies_denied: 'security policies do not allow it',
  requested_changes: 'a reviewer requested changes',
  security_policy_pipeline_check: 'a pipeline of a security policy has not succeeded',
  security_policy_violations: 'it violates security policies',
  status_checks_must_pass: 'its external status checks have not passed',
  title_regex: "its title must match the project's pattern",
};
