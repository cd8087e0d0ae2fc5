import type { Collaboration, HostIssue } from '../collaboration.ts';
import { cutBody, maxSaid } from '../cut-body.ts';
import { webUrl } from './change-request.ts';
import { parsed, type GitlabClient } from './client.ts';
import { readList } from './pages.ts';
import { messageIn } from './problems.ts';
import { withoutQuickActions } from './quick-actions.ts';
import { noteUrl } from './replies.ts';
import { accountOf, commentOf, SaidIssue, SaidNote, timeOf } from './said.ts';
import { MergeRequest, Note } from './shapes.ts';

type Issues = Required<
  Pick<Collaboration, 'changedChangeRequests' | 'changedIssues' | 'issue' | 'issueComments' | 'commentOnIssue'>
>;

const maxChanged = 100;

export function issueFunctions(client: GitlabClient): Issues {
  /** GitLab also lists what changed at that time itself. */
  const changedAfter = (since: Date) => ({
    updated_after: since.toISOString(),
    order_by: 'updated_at',
    sort: 'asc',
    state: 'all',
  });
  const isAfter = (since: Date) => (one: { updatedAt: Date }) => one.updatedAt.getTime() > since.getTime();

  return {
    async changedChangeRequests(repository, since) {
      const list = { path: 'merge_requests', query: changedAfter(since), item: MergeRequest, limit: maxChanged };
      const found = await readList(client, repository, list);
      return found
        .map((said) => ({ number: said.iid, createdAt: timeOf(said.created_at), updatedAt: timeOf(said.updated_at) }))
        .filter(isAfter(since));
    },
    async changedIssues(repository, since) {
      const list = { path: 'issues', query: changedAfter(since), item: SaidIssue, limit: maxChanged };
      return (await readList(client, repository, list)).map(toIssue).filter(isAfter(since));
    },
    async issue(repository, number) {
      const answer = await client.inProject(repository, { path: `issues/${number}` });
      const isGone = answer.status === 404 && !/project/i.test(messageIn(answer.body));
      return isGone ? undefined : toIssue(parsed(SaidIssue, answer));
    },
    async issueComments(repository, number) {
      const list = {
        path: `issues/${number}/notes`,
        query: { order_by: 'created_at', sort: 'desc', activity_filter: 'only_comments' },
        item: SaidNote,
        limit: maxSaid,
      };
      const notes = (await readList(client, repository, list)).filter(({ system }) => !system);
      const { url } = await client.open(repository);
      return notes.toReversed().map((note) => commentOf(note, `${url}/${repository.repo}/-/issues/${number}`));
    },
    async commentOnIssue(repository, number, body) {
      const request = { method: 'POST', path: `issues/${number}/notes`, body: { body: withoutQuickActions(body) } };
      const answer = await client.inProject(repository, { ...request, method: 'POST' });
      return { url: noteUrl(answer, repository, `issues/${number}`, parsed(Note, answer).id) };
    },
  };
}

function toIssue(said: SaidIssue): HostIssue {
  return {
    number: said.iid,
    state: said.state === 'closed' ? 'closed' : 'open',
    title: said.title,
    body: cutBody(said.description ?? ''),
    author: accountOf(said.author),
    labels: said.labels,
    url: webUrl(said.web_url),
    createdAt: timeOf(said.created_at),
    updatedAt: timeOf(said.updated_at),
  };
}
