import { startTestApi } from '../../../../test/support/api.ts';
import { createGitUser, withKey } from '../../../../test/support/git.ts';
import { describeSourceControl } from '../contract.ts';

describeSourceControl('the built-in git host', async () => {
  const api = await startTestApi();
  const ada = await createGitUser();
  const body = { provider: 'local', repo: 'acme/contract' };
  const { json } = await api.call('POST', '/v3/organizations/default/repositories', { body });
  const orgId = /org_\w+/.exec((await api.call('GET', '/v3/self')).text)?.[0] ?? '';
  const url = withKey(String(json['clone_url']), api.adminKey);
  const work = await ada.start({ 'a.txt': 'one\n' });
  await ada.git(work, 'push', '-q', url, 'main');
  const repository = {
    orgId,
    connectionId: String(json['connection_id']),
    id: String(json['id']),
    repo: 'acme/contract',
  };
  return {
    source: api.ctx.sourceControl.of('local'),
    repository,
    unknown: { ...repository, id: 'repo_none', repo: 'acme/none' },
    async push(branch, file, content) {
      await ada.git(work, 'checkout', '-q', '-b', branch, 'main');
      const head = await ada.commit(work, { [file]: content }, `change on ${branch}`);
      await ada.git(work, 'push', '-q', url, branch);
      return head;
    },
    async commitsOnMain() {
      await ada.git(work, 'fetch', '-q', url, 'main');
      return Number(await ada.git(work, 'rev-list', '--count', 'FETCH_HEAD'));
    },
    async close() {
      await ada.close();
      await api.close();
    },
  };
});
