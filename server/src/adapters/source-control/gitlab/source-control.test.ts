import { connectGitlab } from '../../../../test/hosts/gitlab/connected.ts';
import { describeSourceControl } from '../contract.ts';

describeSourceControl('GitLab', 'gitlab', async () => {
  const { source, project, repository, push, pushMore, close } = await connectGitlab();
  return {
    source,
    repository,
    unknown: { ...repository, id: 'repo_none', repo: 'acme/tools/none' },
    push,
    pushMore,
    commitsOnMain: async () => Number(await project.repository.git('rev-list', '--count', 'main')),
    squashCommits: 2,
    close,
  };
});
