import type { MirroredReads } from '../mirrored.ts';
import type { ProviderChangeRequest, RepositoryRef, SourceControl } from '../port.ts';
import { mergeCommit, mergePullRequest } from './merge.ts';
import { contentForm, isWithinProject, toChangeRequest } from './pull-request.ts';
import { notOpen, type PullRequests } from './pull-requests.ts';
import type { PullRequest } from './shapes.ts';

type ChangeRequestFunctions = Pick<
  SourceControl,
  'openChangeRequest' | 'changeRequest' | 'updateChangeRequest' | 'mergeChangeRequest' | 'closeChangeRequest'
> &
  Required<Pick<SourceControl, 'comment'>>;

/** Change requests are Pagure's pull requests. */
export function createChangeRequests(pulls: PullRequests, reads: MirroredReads): ChangeRequestFunctions {
  async function describe(repository: RepositoryRef, pull: PullRequest): Promise<ProviderChangeRequest> {
    const url = await pulls.page(repository, pull.id);
    if (pull.status === 'Merged')
      return toChangeRequest(pull, { url, mergeCommit: await mergeCommit(reads, repository, pull) });
    if (pull.status === 'Closed') return toChangeRequest(pull, { url });
    // Pagure learns of a push a moment later.
    const tip = isWithinProject(pull) ? await reads.branchHead(repository, pull.branch_from) : undefined;
    const said = toChangeRequest({ ...pull, commit_stop: tip ?? pull.commit_stop }, { url });
    if (said.mergeable !== undefined) return said;
    const mergeable = await reads.wouldMerge(repository, said.baseRef, said.headSha).catch(() => undefined);
    return { ...said, mergeable };
  }

  return {
    async openChangeRequest(repository, input) {
      const existing = await pulls.findOpen(repository, input.headRef);
      const number = existing ?? (await pulls.create(repository, input));
      const pull = await pulls.require(repository, number);
      const changeRequest = toChangeRequest(pull, { url: await pulls.page(repository, number) });
      return { changeRequest, created: existing === undefined };
    },
    async changeRequest(repository, number) {
      const pull = await pulls.read(repository, number);
      return pull === undefined ? undefined : describe(repository, pull);
    },
    async updateChangeRequest(repository, number, content) {
      const before = await pulls.require(repository, number);
      if (before.status !== 'Open') throw notOpen(before);
      await pulls.post(repository, number, '', contentForm(content));
      const pull = await pulls.require(repository, number);
      return toChangeRequest(pull, { url: await pulls.page(repository, number) });
    },
    async mergeChangeRequest(repository, number, input) {
      const pull = await pulls.require(repository, number);
      if (pull.status === 'Closed') throw notOpen(pull);
      if (pull.status === 'Open') await mergePullRequest(pulls, reads, repository, pull, input);
      return describe(repository, await pulls.require(repository, number));
    },
    async closeChangeRequest(repository, number) {
      const pull = await pulls.require(repository, number);
      if (pull.status === 'Merged') throw notOpen(pull);
      if (pull.status === 'Open') await pulls.post(repository, number, '/close', {});
      return describe(repository, await pulls.require(repository, number));
    },
    async comment(repository, number, body) {
      await pulls.post(repository, number, '/comment', { comment: body });
      return { url: await pulls.page(repository, number) };
    },
  };
}
