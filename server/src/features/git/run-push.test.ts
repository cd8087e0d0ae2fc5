import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { createGitUser, withKey, type GitUser } from '../../../test/support/git.ts';
import { signRunCredential } from './credentials.ts';

let api: TestApi;
let user: GitUser;

beforeAll(async () => {
  [api, user] = await Promise.all([startTestApi(), createGitUser()]);
});
afterAll(async () => {
  await user.close();
  await api.close();
});

test.each([
  ['with a branch', 'guildhall/fix', /this session may push guildhall\/fix and not refs\/heads\/main/],
  ['without a branch', '', /this session has no branch in this repository and may not push to it/],
])('a push of main by a run %s is refused and says what it may', async (_name, branch, refused) => {
  const body = { provider: 'local', repo: `acme/app${branch === '' ? '' : '-of-a-branch'}` };
  const { json } = await api.call('POST', '/v3/organizations/default/repositories', { body });
  const { rows } = await api.ctx.db.pool.query("select id from organizations where slug = 'default'");
  const credential = signRunCredential(api.ctx, {
    org: String(rows[0]?.['id']),
    repository: String(json['id']),
    session: 'ses_none',
    fence: 1,
    branch,
    expires: Date.now() + 60_000,
  });
  const url = withKey(String(json['clone_url']).replace('/git/default/', '/git-run/'), credential);
  const work = await user.start({ readme: 'x' });
  await expect(user.git(work, 'push', url, 'main')).rejects.toThrow(refused);
});
