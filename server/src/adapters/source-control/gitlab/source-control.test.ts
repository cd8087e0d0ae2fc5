import { connectGitlab } from '../../../../test/hosts/gitlab/connected.ts';
import { endJob } from '../../../../test/hosts/gitlab/checks.ts';
import { openIssue } from '../../../../test/hosts/gitlab/issues.ts';
import { say } from '../../../../test/hosts/gitlab/notes.ts';
import { role } from '../../../../test/hosts/gitlab/state.ts';
import { describeSourceControl } from '../contract.ts';

describeSourceControl('GitLab', 'gitlab', async () => {
  const { source, gitlab, project, repository, push, pushMore, close } = await connectGitlab();
  const people = { ada: 'write', grace: 'admin', edsger: 'read' } as const;
  for (const [name, level] of Object.entries({ ada: role.developer, grace: role.maintainer, edsger: role.reporter })) {
    gitlab.accountId(name);
    project.roles.set(name, level);
  }
  const requestOf = (number: number) => project.mergeRequests.find(({ iid }) => iid === number);
  return {
    source,
    repository,
    unknown: { ...repository, id: 'repo_none', repo: 'acme/tools/none' },
    push,
    pushMore,
    commitsOnMain: async () => Number(await project.repository.git('rev-list', '--count', 'main')),
    squashCommits: 2,
    people,
    async say(number, body) {
      say(gitlab, requestOf(number) ?? { discussions: [] }, { username: 'ada', body });
    },
    async fail(sha, name, log) {
      endJob(gitlab, project, { sha, name, log, status: 'failed' });
    },
    async hold({ number }) {
      Object.assign(requestOf(number) ?? {}, { waitsFor: 'ci_still_running' });
    },
    mergesItself: async (number) => requestOf(number)?.autoMerge === true,
    openIssue: async (title, description) => openIssue(gitlab, project, { username: 'ada', title, description }).iid,
    close,
  };
});
