import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from './support/api.ts';
import { openChangeRequest } from './support/change-requests.ts';
import { lockTable } from './support/failures.ts';
import { createGitUser, withKey, type GitUser } from './support/git.ts';
import { startServerProcess, type ServerProcess } from './support/server.ts';

const repositories = '/v3/organizations/default/repositories';

let api: TestApi;
let ada: GitUser;
let server: ServerProcess;
beforeAll(async () => {
  api = await startTestApi();
  ada = await createGitUser();
  server = await startServerProcess(api.ctx.config.data, ['--role', 'api'], {
    DATABASE_URL: api.connectionString,
    GUILDHALL_RATE_LIMIT: '0',
  });
});
afterAll(async () => {
  server.process.kill('SIGKILL');
  await ada.close();
  await api.close();
});

/** Opens a change request for a branch with one changed file; returns its path and a count of the commits on main. */
async function propose() {
  const { json: created } = await api.call('POST', repositories, { body: { provider: 'local', repo: 'acme/killed' } });
  const url = withKey(String(created['clone_url']), api.adminKey);
  const work = await ada.start({ 'a.txt': 'one\n' });
  await ada.git(work, 'push', '-q', url, 'main');
  const base = await ada.git(work, 'rev-parse', 'main');
  await ada.git(work, 'checkout', '-q', '-b', 'fix');
  const head = await ada.commit(work, { 'a.txt': 'two\n' }, 'Fix');
  await ada.git(work, 'push', '-q', url, 'fix');
  const { json: self } = await api.call('GET', '/v3/self');
  const repositoryId = String(created['id']);
  const { number } = await openChangeRequest(api.ctx, {
    orgId: /org_\w+/.exec(JSON.stringify(self))?.[0] ?? '',
    repositoryId,
    headRef: 'fix',
    headSha: head,
    baseRef: 'main',
    baseSha: base,
    title: 'Fix',
    body: '',
    draft: false,
    evidence: [],
    author: { type: 'user', id: String(self['principal_id']) },
    sessionId: '',
  });
  return {
    path: `${repositories}/${repositoryId}/change-requests/${number}`,
    merges: async () => {
      await ada.git(work, 'fetch', '-q', url, 'main');
      return Number(await ada.git(work, 'rev-list', '--count', `${base}..FETCH_HEAD`));
    },
  };
}

test('a process killed between a merge and its record loses neither: it is merged once, and on record once', async () => {
  const { path, merges } = await propose();
  const lock = await lockTable(api.connectionString, 'change_requests');
  const answer = fetch(`${server.url}${path}/merge`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api.adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ method: 'squash' }),
  }).then(
    ({ status }) => status,
    () => 'none',
  );
  // The branch has moved; the record waits for the lock.
  await expect.poll(merges, { timeout: 30_000 }).toBe(1);
  server.process.kill('SIGKILL');
  expect(await answer).toBe('none');
  await server.exited;
  await lock.release();
  expect((await api.ctx.db.pool.query('select state from change_requests')).rows).toEqual([{ state: 'open' }]);

  // The dead process's lease, which would end after 30 s.
  await api.ctx.db.pool.query(`update change_request_intents set held_until = now() - interval '1 second'`);
  expect((await api.call('GET', path)).json['state']).toBe('merged');
  const again = await api.call('POST', `${path}/merge`, { body: { method: 'squash' } });
  expect([again.status, again.json['state'], await merges()]).toEqual([200, 'merged', 1]);
  const { rows } = await api.ctx.db.pool.query(
    `select action, actor_type from audit_entries where action = 'change_request.merge'`,
  );
  expect(rows).toEqual([{ action: 'change_request.merge', actor_type: 'user' }]);
});
