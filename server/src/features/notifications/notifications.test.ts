import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { openMailbox, type Mailbox } from '../../../test/support/mailbox.ts';
import { join, personalKey } from '../../../test/support/members.ts';
import { openReceiver, type Receiver } from '../../../test/support/receiver.ts';
import { sessionIn, start } from '../../../test/support/session-states.ts';
import { finish } from '../sessions/run/run-service.ts';
import { sendWaiting } from './send-service.ts';
import type { Channel } from './store.ts';

let api: TestApi;
let mailbox: Mailbox;
let orgId: string;
beforeAll(async () => {
  mailbox = await openMailbox();
  api = await startTestApi({ GUILDHALL_SMTP_URL: mailbox.url, GUILDHALL_EGRESS_ALLOW: 'webhook=127.0.0.1/32' });
  orgId = String((await api.call('GET', '/v3/organizations/default')).json['id']);
});
afterAll(async () => {
  await api.close();
  await mailbox.close();
});

const receivers: Receiver[] = [];
afterEach(async () => {
  await api.call('DELETE', `${org}/settings/notifications`);
  await api.ctx.db.pool.query('delete from notifications');
  await api.ctx.db.pool.query('delete from notification_receivers');
  mailbox.received.splice(0);
  for (const receiver of receivers.splice(0)) await receiver.close();
});

const org = '/v3/organizations/default';
const within = { timeout: 20_000, interval: 50 };
const minute = 60_000;

interface Person {
  id: string;
  key: string;
}

async function person(permission: 'admin' | 'member' = 'member', choice?: object): Promise<Person> {
  const id = await join(api, orgId, permission);
  const key = await personalKey(api, orgId, id);
  if (choice !== undefined) {
    const answer = await api.call('PUT', '/v3/self/preferences/notifications', { key, body: { value: choice } });
    expect(answer.status).toBe(200);
  }
  return { id, key };
}

/** Creates a person's session and brings it to its end. */
async function sessionOf({ key }: Person, status: 'waiting' | 'completed' | 'failed', title = 'Fix the cart') {
  const made = await api.call('POST', `${org}/sessions`, { key, body: { prompt: 'x', title } });
  const id = String(made.json['id']);
  const run = await start(api, id);
  const detail = { waiting: 'awaiting_user', completed: 'finished', failed: 'agent_error' } as const;
  const error = { code: 'agent_error', message: 'It fell over.' };
  await finish(api.ctx, run, {
    status,
    status_detail: detail[status],
    sandbox_state: 'none',
    sandboxSeconds: 1,
    ...(status === 'failed' ? { error } : {}),
  });
  return { id, path: `${org}/sessions/${id}` };
}

async function waiting(channel: Channel, target = ''): Promise<string[]> {
  const { rows } = await api.ctx.db.pool.query<{ kind: string }>(
    'select kind from notifications where channel = $1 and target = $2 order by id',
    [channel, target],
  );
  return rows.map(({ kind }) => kind);
}

async function has(count: number, channel: Channel, target = ''): Promise<void> {
  await expect.poll(() => waiting(channel, target), within).toHaveLength(count);
}

/** Sends what waits, as a job does at this time. */
async function sendAt(ms: number, channel: Channel, target = ''): Promise<void> {
  const clock = { now: () => new Date(Date.now() + ms) };
  const { signal } = new AbortController();
  await sendWaiting({ ...api.ctx, clock }, { org_id: orgId, channel, target }, signal);
}

describe('a preference', () => {
  test('belongs to one person, and is {} before', async () => {
    const [one, other] = [await person(), await person()];
    const path = '/v3/self/preferences/theme';
    expect((await api.call('GET', path, { key: one.key })).json).toEqual({
      name: 'theme',
      value: {},
      updated_at: null,
    });
    const body = { value: { dark: true } };
    expect((await api.call('PUT', path, { key: one.key, body })).json).toMatchObject(body);
    expect((await api.call('GET', path, { key: one.key })).json).toMatchObject(body);
    expect((await api.call('GET', path, { key: other.key })).json['value']).toEqual({});
    const large = { value: { text: 'x'.repeat(65_536) } };
    expect((await api.call('PUT', path, { key: one.key, body: large })).status).toBe(400);
  });

  test('for notifications is checked, and shows the value in effect', async () => {
    const { key } = await person();
    const path = '/v3/self/preferences/notifications';
    const effect = { email: ['session.failed'], slack: [], slack_secret: '' };
    const set = await api.call('PUT', path, { key, body: { value: { email: ['session.failed'] } } });
    expect(set.json['value']).toEqual(effect);
    for (const value of [{ email: ['everything'] }, { sms: [] }, { slack_secret: 'not a name' }])
      expect((await api.call('PUT', path, { key, body: { value } })).status).toBe(400);
    expect((await api.call('GET', path, { key })).json['value']).toEqual(effect);
  });
});

describe('mail', () => {
  test('goes to who started the session, only for what they chose', async () => {
    const chose = await person('member', { email: ['session.needs_you', 'session.failed'] });
    const silent = await person();
    await sessionOf(chose, 'completed');
    await sessionOf(silent, 'failed');
    const { id } = await sessionOf(chose, 'waiting', 'Fix the <cart>');
    await has(1, 'user_email', chose.id);
    expect(await waiting('user_email', silent.id)).toEqual([]);
    await sendAt(minute, 'user_email', chose.id);
    const [mail] = await mailbox.reaches(1);
    expect(mail?.to).toEqual([`${chose.id}@example.com`]);
    expect(mail?.raw).toMatch(/needs you/);
    expect(mail?.raw.replaceAll(/=\r?\n/g, '')).toContain(id);
    expect(mail?.raw).not.toContain('<cart>"');
    expect(await waiting('user_email', chose.id)).toEqual([]);
  });

  test('tells everything that happens within 30 seconds at once, and nothing more for 5 minutes', async () => {
    const who = await person('member', { email: ['session.failed'] });
    for (let count = 0; count < 25; count += 1) await sessionOf(who, 'failed');
    await has(25, 'user_email', who.id);
    await sendAt(0, 'user_email', who.id);
    expect(mailbox.received).toEqual([]);
    await sendAt(minute, 'user_email', who.id);
    const [mail] = await mailbox.reaches(1);
    expect(mail?.raw).toContain('Subject: =?UTF-8?Q?25_failed_');
    expect(mail?.raw).toContain('And 5 more.');
    await sessionOf(who, 'failed');
    await has(1, 'user_email', who.id);
    await sendAt(2 * minute, 'user_email', who.id);
    expect(mailbox.received).toHaveLength(1);
    await sendAt(7 * minute, 'user_email', who.id);
    await mailbox.reaches(2);
  });

  test('is sent once, however many jobs run', async () => {
    const who = await person('member', { email: ['session.failed'] });
    await sessionOf(who, 'failed');
    await has(1, 'user_email', who.id);
    await Promise.all([1, 2, 3, 4].map(() => sendAt(minute, 'user_email', who.id)));
    expect(mailbox.received).toHaveLength(1);
    expect(await waiting('user_email', who.id)).toEqual([]);
  });

  test('leaves out what has changed since', async () => {
    const who = await person('member', { email: ['session.needs_you'] });
    const { path } = await sessionOf(who, 'waiting');
    await has(1, 'user_email', who.id);
    expect((await api.call('POST', `${path}/cancel`, { key: who.key })).status).toBe(200);
    await sendAt(minute, 'user_email', who.id);
    expect(mailbox.received).toEqual([]);
    expect(await waiting('user_email', who.id)).toEqual([]);
  });

  test('goes to no unverified address, and to nobody who left', async () => {
    const unverified = await person('member', { email: ['session.failed'] });
    const left = await person('member', { email: ['session.failed'] });
    await sessionOf(unverified, 'failed');
    await sessionOf(left, 'failed');
    await has(1, 'user_email', unverified.id);
    await has(1, 'user_email', left.id);
    await api.ctx.db.pool.query('update users set email_verified_at = null where id = $1', [unverified.id]);
    await api.call('DELETE', `${org}/members/${left.id}`);
    await sendAt(minute, 'user_email', unverified.id);
    await sendAt(minute, 'user_email', left.id);
    expect(mailbox.received).toEqual([]);
  });

  test('never has a credential that somebody put into a title, nor the error of a session', async () => {
    const who = await person('member', { email: ['session.failed'] });
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const { id } = await sessionOf(who, 'failed', `Use ${token}`);
    await has(1, 'user_email', who.id);
    await sendAt(minute, 'user_email', who.id);
    const [mail] = await mailbox.reaches(1);
    const raw = mail?.raw.replaceAll(/=\r?\n/g, '') ?? '';
    expect(raw).not.toContain('ghp_');
    expect(raw).not.toContain('fell over');
    expect(raw).toContain(id);
  });

  test('is tried again while the server refuses it for now', async () => {
    const who = await person('member', { email: ['session.failed'] });
    await sessionOf(who, 'failed');
    await has(1, 'user_email', who.id);
    mailbox.refuse(451);
    await expect(sendAt(minute, 'user_email', who.id)).rejects.toThrow(/could not be sent/);
    mailbox.refuse(0);
    await sendAt(minute, 'user_email', who.id);
    await mailbox.reaches(1);
  });
});

describe('Slack', () => {
  test('gets messages at the address in a person’s own secret', async () => {
    const receiver = await openReceiver();
    receivers.push(receiver);
    const who = await person('member', { slack: ['session.needs_you'], slack_secret: 'MY_SLACK' });
    const secret = { key: 'MY_SLACK', value: receiver.url, scope: 'user' };
    expect((await api.call('POST', `${org}/secrets`, { key: who.key, body: secret })).status).toBe(201);
    const { id } = await sessionOf(who, 'waiting', 'Fix <the> cart & more');
    await has(1, 'user_slack', who.id);
    await sendAt(minute, 'user_slack', who.id);
    const [message] = receiver.received;
    const { text } = JSON.parse(message?.body ?? '{}');
    expect(text).toContain('Fix &lt;the&gt; cart &amp; more needs you');
    expect(text).toContain(`/sessions/${id}|`);
  });

  test('of the organization, its addresses and its webhooks get what the settings say', async () => {
    const receiver = await openReceiver();
    receivers.push(receiver);
    const secret = { key: `SLACK_${Date.now()}`, value: receiver.url };
    await api.call('POST', `${org}/secrets`, { body: secret });
    const value = {
      slack: { secret: secret.key, channel: '#agents', events: ['session.failed'] },
      email: { recipients: ['team@example.com'], events: ['session.finished'] },
      webhooks: [{ url: receiver.url, events: ['session.failed'] }],
    };
    expect((await api.call('PUT', `${org}/settings/notifications`, { body: value })).status).toBe(200);
    const { path } = await sessionIn(api, 'failed');
    await has(1, 'slack');
    await has(1, 'url', receiver.url);
    expect(await waiting('email', 'team@example.com')).toEqual([]);
    await sendAt(minute, 'slack');
    await sendAt(minute, 'url', receiver.url);
    const bodies = receiver.received.map(({ body }) => JSON.parse(body));
    expect(bodies[0]).toMatchObject({ channel: '#agents', text: expect.stringContaining('failed') });
    expect(bodies[1].notifications).toEqual([
      {
        type: 'session.failed',
        name: expect.any(String),
        url: `${api.url}/console/default/sessions/${path.split('/').at(-1)}`,
      },
    ]);
  });
});

test('administrators get a notice of a webhook that was disabled', async () => {
  const admin = await person('admin');
  const receiver = await openReceiver();
  receivers.push(receiver);
  const { json } = await api.call('POST', `${org}/webhooks`, { body: { url: receiver.url, events: ['group.*'] } });
  const id = String(json['id']);
  const { disable } = await import('../webhooks/disable.ts');
  await api.ctx.db.transaction((trx) => disable(trx, { id, org_id: orgId }, 'failures', new Date()));
  await has(1, 'user_email', admin.id);
  await sendAt(minute, 'user_email', admin.id);
  const [mail] = await mailbox.reaches(1);
  expect(mail?.raw).toContain('disabled');
});
