import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { openChangeRequest } from '../../../test/support/change-requests.ts';
import { createGitUser, withKey, type GitUser } from '../../../test/support/git.ts';
import { openMailbox, type Mailbox } from '../../../test/support/mailbox.ts';
import { join, personalKey } from '../../../test/support/members.ts';
import { publishFollow } from '../follow/news.ts';
import { lockFollow, readFollow, updateFollow } from '../follow/store.ts';
import { readChangeRequest } from '../repositories/public.ts';
import type { FollowState } from '../follow/schemas.ts';
import { sendWaiting } from './send-service.ts';

const org = '/v3/organizations/default';
const within = { timeout: 20_000, interval: 50 };

let api: TestApi;
let mailbox: Mailbox;
let ada: GitUser;
let person: string;
let orgId: string;
let repository: string;
let sessionId: string;
beforeAll(async () => {
  mailbox = await openMailbox();
  [api, ada] = await Promise.all([startTestApi({ GUILDHALL_SMTP_URL: mailbox.url }), createGitUser()]);
  orgId = String((await api.call('GET', org)).json['id']);
  person = await join(api, orgId, 'member');
  const key = await personalKey(api, orgId, person);
  const value = { email: ['change_request.needs_you', 'change_request.ready', 'change_request.ended'] };
  expect((await api.call('PUT', '/v3/self/preferences/notifications', { key, body: { value } })).status).toBe(200);
  const { json } = await api.call('POST', `${org}/repositories`, { body: { provider: 'local', repo: 'acme/shop' } });
  repository = String(json['id']);
  const url = withKey(String(json['clone_url']), api.adminKey);
  const work = await ada.start({ 'a.txt': 'one\n' });
  await ada.git(work, 'push', '-q', url, 'main');
  await ada.git(work, 'checkout', '-q', '-b', 'work');
  const headSha = await ada.commit(work, { 'a.txt': 'two\n' });
  await ada.git(work, 'push', '-q', url, 'work');
  const body = { prompt: 'x', title: 'Shop', repositories: [{ repo: 'acme/shop' }] };
  sessionId = String((await api.call('POST', `${org}/sessions`, { key, body })).json['id']);
  await openChangeRequest(api.ctx, {
    orgId,
    repositoryId: repository,
    headRef: 'work',
    headSha,
    baseRef: 'main',
    baseSha: await ada.git(work, 'rev-parse', 'main'),
    title: 'Fix the cart',
    body: '',
    draft: false,
    evidence: [],
    sessionId,
    author: { type: 'session', id: sessionId },
  });
  const follow = `${org}/repositories/${repository}/change-requests/1/follow`;
  expect((await api.call('POST', follow, { body: { action: 'watch' } })).status).toBe(200);
});
afterAll(async () => {
  await ada.close();
  await api.close();
  await mailbox.close();
});

/** Follows the change request as a look would. */
async function becomes(state: FollowState, reason = ''): Promise<void> {
  const { ctx } = api;
  await ctx.db.transaction(async (trx) => {
    const change = await readChangeRequest(trx, orgId, repository, 1);
    if (change === undefined) throw new Error('There is no change request.');
    await lockFollow(trx, change.id);
    await updateFollow(trx, change.id, { state, reason });
    const row = await readFollow(trx, change.id);
    if (row === undefined) throw new Error('It is not followed.');
    await publishFollow(ctx, trx, row, { type: 'system', id: '' });
  });
}

/** Returns the kinds that wait. */
async function waiting(): Promise<string[]> {
  const { rows } = await api.ctx.db.pool.query<{ kind: string }>('select kind from notifications order by id');
  return rows.map(({ kind }) => kind);
}

let hours = 0;
/** Sends what waits, an hour later each time; returns the mail, if one was sent. */
async function mail(): Promise<string | undefined> {
  hours += 1;
  const ctx = { ...api.ctx, clock: { now: () => new Date(Date.now() + hours * 3_600_000) } };
  const count = mailbox.received.length;
  const receiver = { org_id: orgId, channel: 'user_email' as const, target: person };
  await sendWaiting(ctx, receiver, new AbortController().signal);
  return mailbox.received[count]?.raw.replaceAll(/=\r?\n/g, '');
}

test('the person who started the session is told what becomes of the change request that it follows', async () => {
  await becomes('needs_person', 'Checks fail.');
  await expect.poll(waiting, within).toEqual(['change_request.needs_you']);
  const needs = await mail();
  expect(needs).toContain('Fix the cart (#1 of acme/shop) needs you: Checks fail');
  expect(needs).toContain(`/repositories/${repository}/change-requests/1`);

  await becomes('ready');
  await expect.poll(waiting, within).toEqual(['change_request.ready']);
  expect(await mail()).toContain('Fix the cart (#1 of acme/shop) is ready to merge');
});

test('a state that passed is not told, and neither are other states', async () => {
  await becomes('needs_person', 'Checks fail.');
  await expect.poll(waiting, within).toEqual(['change_request.needs_you']);
  await becomes('working');
  await becomes('watching');
  expect(await mail()).toBeUndefined();
  expect(await waiting()).toEqual([]);
  // A person ended it, and it is open.
  await becomes('ended', 'Ada ended it.');
  await expect.poll(waiting, within).toEqual(['change_request.ended']);
  expect(await mail()).toBeUndefined();
});

test('neither the error of the session nor a credential is sent', async () => {
  const { pool } = api.ctx.db;
  const error = JSON.stringify({ code: 'agent_error', message: 'It fell over here.' });
  await pool.query('update sessions set error = $2 where id = $1', [sessionId, error]);
  await becomes('needs_person', 'It fell over here.');
  await expect.poll(waiting, within).toEqual(['change_request.needs_you']);
  const failed = await mail();
  expect(failed).toContain('needs you: Its session failed');
  expect(failed).not.toContain('fell over');

  const token = `ghp_${'a1B2'.repeat(9)}`;
  await becomes('needs_person', `The same failure is back after a fix: test: ${token}`);
  await expect.poll(waiting, within).toEqual(['change_request.needs_you']);
  const leaking = await mail();
  expect(leaking).toContain('(#1 of acme/shop) needs you');
  expect(leaking).not.toContain('ghp_');
});

test('a merge is told', async () => {
  await becomes('watching');
  const path = `${org}/repositories/${repository}/change-requests/1/merge`;
  expect((await api.call('POST', path, { body: {} })).status).toBe(200);
  await becomes('ended', 'It was merged.');
  await expect.poll(waiting, within).toEqual(['change_request.ended']);
  expect(await mail()).toContain('Fix the cart (#1 of acme/shop) was merged');
});
