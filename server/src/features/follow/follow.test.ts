import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { openChangeRequest } from '../../../test/support/change-requests.ts';
import { createGitUser, withKey, type GitUser } from '../../../test/support/git.ts';
import { sessionIn } from '../../../test/support/session-states.ts';

const organization = '/v3/organizations/default';

let api: TestApi;
let ada: GitUser;
let repository: string;
let url: string;
let work: string;
let count = 0;
beforeAll(async () => {
  api = await startTestApi();
  ada = await createGitUser();
  const body = { provider: 'local', repo: 'acme/followed' };
  const { json } = await api.call('POST', `${organization}/repositories`, { body });
  repository = String(json['id']);
  url = withKey(String(json['clone_url']), api.adminKey);
  work = await ada.start({ 'a.txt': 'one\n' });
  await ada.git(work, 'push', '-q', url, 'main');
});
afterAll(async () => {
  await ada.close();
  await api.close();
});

/** Opens a change request of a session; returns its number and the session's id. */
async function open(): Promise<{ number: number; sessionId: string; path: string }> {
  const branch = `work-${(count += 1)}`;
  await ada.git(work, 'checkout', '-q', '-b', branch, 'main');
  const headSha = await ada.commit(work, { [`${branch}.txt`]: 'two\n' });
  await ada.git(work, 'push', '-q', url, branch);
  const baseSha = await ada.git(work, 'rev-parse', 'main');
  const { id: sessionId } = await sessionIn(api, 'completed', { repositories: [{ repo: 'acme/followed' }] });
  const { rows } = await api.ctx.db.pool.query<{ id: string }>("select id from organizations where slug = 'default'");
  const { number } = await openChangeRequest(api.ctx, {
    orgId: rows[0]?.id ?? '',
    repositoryId: repository,
    headRef: branch,
    headSha,
    baseRef: 'main',
    baseSha,
    title: 'Two',
    body: '',
    draft: false,
    evidence: [],
    sessionId,
    author: { type: 'session', id: sessionId },
  });
  return { number, sessionId, path: `${organization}/repositories/${repository}/change-requests/${number}/follow` };
}

describe('the policy', () => {
  test('follows what sessions opened by default, and is replaced whole', async () => {
    const path = `${organization}/repositories/${repository}/follow`;
    const before = await api.call('GET', path);
    expect(before.json).toMatchObject({
      mode: 'fix',
      ci_rounds: 3,
      pushes: 8,
      hours: 72,
      auto_merge: 'off',
      updated_at: null,
    });
    const put = await api.call('PUT', path, { body: { mode: 'notify', trusted_bots: ['lint[bot]'] } });
    expect(put.json).toMatchObject({ mode: 'notify', ci_rounds: 3, trusted_bots: ['lint[bot]'] });
    const again = await api.call('PUT', path, { body: {} });
    expect(again.json).toMatchObject({ mode: 'fix', trusted_bots: [] });
    expect((await api.call('PUT', path, { body: { ci_rounds: 21 } })).status).toBe(400);
  });
});

describe('a change request', () => {
  test('is watched, paused, resumed and ended', async () => {
    const { path, sessionId } = await open();
    expect((await api.call('GET', path)).json).toMatchObject({ state: 'off', session_id: '', rounds: 0, since: null });
    expect((await api.call('POST', path, { body: { action: 'pause' } })).status).toBe(409);
    const watched = await api.call('POST', path, { body: { action: 'watch' } });
    expect(watched.json).toMatchObject({ state: 'watching', session_id: sessionId });
    expect((await api.call('POST', path, { body: { action: 'pause' } })).json['state']).toBe('paused');
    expect((await api.call('POST', path, { body: { action: 'resume' } })).json['state']).toBe('watching');
    const noted = async () => {
      const { json } = await api.call('GET', `${organization}/sessions/${sessionId}/events?kind=change_request`);
      return Object(json['items']).map(({ data }: { data: { follow?: { state: string } } }) => data.follow?.state);
    };
    await expect.poll(noted, { timeout: 20_000 }).toEqual(['watching', 'paused', 'watching']);
    const ended = await api.call('POST', path, { body: { action: 'end' } });
    expect(ended.json['state']).toBe('ended');
    expect((await api.call('POST', path, { body: { action: 'watch' } })).json['state']).toBe('watching');
  });

  test('has one owner', async () => {
    const { path } = await open();
    const { id: other } = await sessionIn(api, 'completed', { repositories: [{ repo: 'acme/followed' }] });
    await api.call('POST', path, { body: { action: 'watch' } });
    const second = await api.call('POST', path, { body: { action: 'watch', session_id: other } });
    expect([second.status, second.json['error']]).toEqual([409, 'conflict']);
    const unknown = await api.call('POST', path, { body: { action: 'watch', session_id: 'ses_none' } });
    expect(unknown.status).toBe(409);
    await api.call('POST', path, { body: { action: 'end' } });
    const moved = await api.call('POST', path, { body: { action: 'watch', session_id: other } });
    expect(moved.json).toMatchObject({ state: 'watching', session_id: other });
  });

  test('is found by how it is followed', async () => {
    const { path, number } = await open();
    await api.call('POST', path, { body: { action: 'watch' } });
    await api.call('POST', path, { body: { action: 'pause' } });
    const numbers = async (query: string): Promise<unknown[]> => {
      const { json } = await api.call('GET', `${organization}/change-requests?${query}`);
      return Object(json['items']).map((item: { number: number }) => item.number);
    };
    expect(await numbers('follow=paused')).toEqual([number]);
    expect(await numbers('follow=off')).not.toContain(number);
    expect(await numbers('needs_person=true')).toEqual([]);
    expect((await api.call('GET', `${organization}/change-requests?follow=asleep`)).status).toBe(400);
    const { json } = await api.call('GET', path.replace('/follow', ''));
    expect(json).toMatchObject({ follow: { state: 'paused', rounds: 0 }, checks: { state: 'none', failing: [] } });
  });
});
