import type { Collaboration } from '../collaboration.ts';
import { Refusal } from '../port.ts';
import { requireDone, type GitlabClient } from './client.ts';
import { notOpen, pathOf, require } from './described.ts';
import { reasonOf } from './merge.ts';

/** Asks GitLab to merge when the merge request's pipeline has succeeded; it merges at once if nothing is left to wait for. */
export function autoMergeFunction(client: GitlabClient): Collaboration['enableAutoMerge'] {
  return async (repository, number, method, headSha) => {
    const before = await require(client, repository, number);
    const { said } = before;
    if (said.state === 'closed' || said.state === 'merged') throw notOpen(before);
    if (said.sha !== headSha)
      throw new Refusal('branch_moved', `The branch ${JSON.stringify(said.source_branch)} has other commits by now.`);
    if (said.merge_when_pipeline_succeeds === true) return;
    const answer = await client.inProject(repository, {
      method: 'PUT',
      path: `${pathOf(number)}/merge`,
      body: {
        sha: headSha,
        squash: method === 'squash',
        // GitLab before 17.11 knows only the second name.
        auto_merge: true,
        merge_when_pipeline_succeeds: true,
        should_remove_source_branch: false,
      },
      isRoleChecked: true,
    });
    if (answer.status < 300) return;
    const after = await require(client, repository, number);
    if (after.said.state === 'merged' || after.said.merge_when_pipeline_succeeds === true) return;
    throw reasonOf(after, answer, { headSha });
  };
}

/** GitLab itself ends auto-merge when other commits arrive. */
export function noAutoMergeFunction(client: GitlabClient): Collaboration['disableAutoMerge'] {
  return async (repository, number) => {
    const isOn = async (): Promise<boolean> => {
      const { said } = await require(client, repository, number);
      return said.state !== 'closed' && said.state !== 'merged' && said.merge_when_pipeline_succeeds === true;
    };
    if (!(await isOn())) return;
    const answer = await client.inProject(repository, {
      method: 'POST',
      path: `${pathOf(number)}/cancel_merge_when_pipeline_succeeds`,
      isRoleChecked: true,
    });
    if (answer.status >= 300 && (await isOn())) requireDone(answer);
  };
}
