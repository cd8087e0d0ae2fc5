import { expect } from 'vitest';
import { startTestApi } from '../../../../test/support/api.ts';
import { createGitUser, withKey } from '../../../../test/support/git.ts';
import { join, personalKey } from '../../../../test/support/members.ts';
import { recordOpened } from '../../../features/repositories/open-change-request.ts';
import { describeSourceControl } from '../contract.ts';

describeSourceControl('the built-in git host', 'local', async () => {
  const api = await startTestApi();
  const ada = await createGitUser();
  const { json } = await api.call('POST', '/v3/organizations/default/repositories', {
    body: { provider: 'local', repo: 'acme/contract' },
  });
  const orgId = /org_\w+/.exec((await api.call('GET', '/v3/self')).text)?.[0] ?? '';
  const person = await join(api, orgId, 'member');
  const key = await personalKey(api, orgId, person);
  const people = {
    [person]: 'write',
    [await join(api, orgId, 'viewer')]: 'read',
    [await join(api, orgId, 'admin')]: 'admin',
  } as const;
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
    async pushMore(branch, file, content) {
      await ada.git(work, 'checkout', '-q', branch);
      const head = await ada.commit(work, { [file]: content }, `another on ${branch}`);
      await ada.git(work, 'push', '-q', url, branch);
      return head;
    },
    people,
    async opened(changeRequest) {
      const author = { type: 'user', id: person } as const;
      const counts = { additions: 0, deletions: 0, changedFiles: 0 };
      const recorded = {
        orgId,
        repositoryId: repository.id,
        author,
        baseSha: '',
        evidence: [],
        sessionId: '',
        ...counts,
      };
      const input = { ...changeRequest, ...recorded };
      await api.ctx.db.transaction((trx) =>
        recordOpened(trx, { input, said: changeRequest, created: true }, new Date()),
      );
    },
    async say(number, text) {
      const path = `/v3/organizations/default/repositories/${repository.id}/change-requests/${number}/comments`;
      const { status } = await api.call('POST', path, { key, body: { body: text } });
      expect(status).toBe(201);
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
