import type { Collaboration, HostIssue } from '../collaboration.ts';
import type { GithubClient } from './client.ts';
import { Issue, Issues } from './collaboration-answers.ts';
import { issueComments } from './discussion.ts';
import { GithubFailure } from './failures.ts';
import { listAll } from './pages.ts';
import { requireRepository } from './repositories.ts';
import { repositoryPath } from './repository-path.ts';
import { bodyOf } from './texts.ts';

const maxChanged = 100;

type Functions = Pick<Collaboration, 'issue' | 'issueComments' | 'changedIssues' | 'commentOnIssue'>;

/** `comment` posts on an issue as on a pull request: GitHub numbers them together. */
export function issueFunctions(client: GithubClient, comment: Collaboration['commentOnIssue']): Functions {
  return {
    async issue(ref, number) {
      const connection = await client.open(ref);
      const path = `${repositoryPath(ref.repo)}/issues/${number}`;
      try {
        const { data } = await client.call(connection, { does: `read issue ${number}`, path, answer: Issue });
        return data.pull_request === undefined ? issueOf(data) : undefined;
      } catch (error) {
        // 410: deleted.
        if (!(error instanceof GithubFailure) || ![404, 410].includes(error.status)) throw error;
        await requireRepository(client, connection, ref.repo);
        return undefined;
      }
    },
    issueComments: (ref, number) => issueComments(client, ref, number),
    async changedIssues(ref, since) {
      const connection = await client.open(ref);
      const query = {
        state: 'all',
        sort: 'updated',
        direction: 'asc',
        since: since.toISOString().replace(/\.\d+Z/, 'Z'),
      };
      const path = `${repositoryPath(ref.repo)}/issues`;
      const changed = (pages: readonly (readonly Issue[])[]): Issue[] =>
        pages.flat().filter((one) => one.pull_request === undefined && Date.parse(one.updated_at) > since.getTime());
      const call = { does: 'list changed issues', path, query, answer: Issues };
      const pages = await listAll(client, connection, call, (read) => changed(read).length >= maxChanged);
      return changed(pages).slice(0, maxChanged).map(issueOf);
    },
    commentOnIssue: comment,
  };
}

function issueOf(issue: Issue): HostIssue {
  const { user } = issue;
  return {
    number: issue.number,
    state: issue.state === 'closed' ? 'closed' : 'open',
    title: bodyOf(issue.title).slice(0, 1_000),
    body: bodyOf(issue.body ?? ''),
    author: user === null ? { login: 'ghost', isBot: false } : { login: user.login, isBot: user.type === 'Bot' },
    labels: issue.labels.slice(0, 100).map((label) => (typeof label === 'string' ? label : (label.name ?? ''))),
    url: issue.html_url,
    createdAt: new Date(issue.created_at),
    updatedAt: new Date(issue.updated_at),
  };
}
