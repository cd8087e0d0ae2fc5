import type { NewChangeRequest, RepositoryRef, SourceControl } from '../port.ts';
import { contentOf, toChangeRequest } from './change-request.ts';
import { parsed, type GitlabClient } from './client.ts';
import { describe, described, find, notOpen, pathOf, require } from './described.ts';
import { mergeFunction } from './merge.ts';
import { withoutQuickActions } from './quick-actions.ts';
import { noteUrl } from './replies.ts';
import { MergeRequests, Note } from './shapes.ts';

type ChangeRequestFunctions = Pick<
  SourceControl,
  'openChangeRequest' | 'changeRequest' | 'updateChangeRequest' | 'mergeChangeRequest' | 'closeChangeRequest'
> &
  Required<Pick<SourceControl, 'comment'>>;

export function changeRequestFunctions(client: GitlabClient): ChangeRequestFunctions {
  async function change(repository: RepositoryRef, number: number, body: Record<string, unknown>) {
    const answer = await client.inProject(repository, { method: 'PUT', path: pathOf(number), body });
    return described(answer);
  }

  return {
    openChangeRequest: (repository, input) => open(client, repository, input),
    async changeRequest(repository, number) {
      const found = await find(client, repository, number);
      return found === undefined ? undefined : describe(found);
    },
    async updateChangeRequest(repository, number, content) {
      const found = await require(client, repository, number);
      if (found.said.state !== 'opened') throw notOpen(found);
      return describe(await change(repository, number, contentOf(content)));
    },
    mergeChangeRequest: mergeFunction(client),
    async closeChangeRequest(repository, number) {
      const found = await require(client, repository, number);
      if (found.said.state === 'closed') return describe(found);
      if (found.said.state !== 'opened') throw notOpen(found);
      return describe(await change(repository, number, { state_event: 'close' }));
    },
    async comment(repository, number, body) {
      const request = {
        method: 'POST',
        path: `${pathOf(number)}/notes`,
        body: { body: withoutQuickActions(body) },
      } as const;
      const answer = await client.inProject(repository, request);
      const { id } = parsed(Note, answer);
      return { url: noteUrl(answer, repository, `merge_requests/${number}`, id) };
    },
  };
}

/** Looks for an open one first, because the answer to an earlier attempt may have been lost. */
async function open(client: GitlabClient, repository: RepositoryRef, input: NewChangeRequest) {
  const existing = await findOpen(client, repository, input.headRef);
  if (existing !== undefined) return { changeRequest: existing, created: false };
  const body = { source_branch: input.headRef, target_branch: input.baseRef, ...contentOf(input) };
  const answer = await client.inProject(repository, { method: 'POST', path: 'merge_requests', body });
  if (answer.status === 409) {
    const other = await findOpen(client, repository, input.headRef);
    if (other !== undefined) return { changeRequest: other, created: false };
  }
  // GitLab reads the branch later, when it just arrived.
  const changeRequest = describe(described(answer));
  return { changeRequest: { ...changeRequest, headSha: changeRequest.headSha || input.headSha }, created: true };
}

/** Returns the newest open merge request of a branch of the project itself: forks can have a branch of the same name. */
async function findOpen(client: GitlabClient, repository: RepositoryRef, branch: string) {
  const query = { source_branch: branch, state: 'opened', order_by: 'created_at', sort: 'desc', per_page: 50 };
  const answer = await client.inProject(repository, { path: 'merge_requests', query });
  const said = parsed(MergeRequests, answer).find(
    (one) => one.source_branch === branch && one.source_project_id === one.target_project_id,
  );
  return said === undefined ? undefined : toChangeRequest(said);
}
