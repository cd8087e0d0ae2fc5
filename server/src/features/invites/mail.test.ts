import { afterEach, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { freePort, openMailbox, partOf, type Mailbox } from '../../../test/support/mailbox.ts';
import { createSmtpMailer } from '../../adapters/mail/smtp/mailer.ts';
import { startInviteMail } from './jobs.ts';

const path = '/v3/organizations/default/members/invites';

const open: (TestApi | Mailbox)[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function start(mailbox: { url: string }, more: Record<string, string> = {}): Promise<TestApi> {
  const api = await startTestApi({ GUILDHALL_SMTP_URL: mailbox.url, ...more });
  open.push(api);
  startInviteMail(api.ctx);
  return api;
}

async function inbox(...given: Parameters<typeof openMailbox>): Promise<Mailbox> {
  const mailbox = await openMailbox(...given);
  open.push(mailbox);
  return mailbox;
}

function invite(api: TestApi, ...emails: string[]) {
  return api.call('POST', path, { body: { emails, permission: 'member' } });
}

function linkIn(text: string): string {
  return /http:\/\/\S+\/invites\/([\w-]{43})/.exec(text)?.[1] ?? '';
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error('It did not come to be.');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('an invitation by mail', () => {
  test('says who invites to what, in text and HTML, and its link works; the answer has none', async () => {
    const mailbox = await inbox(0, { user: 'guild', pass: 'p4ss word'.replace(' ', '') });
    const api = await start(mailbox, { GUILDHALL_SMTP_FROM: 'The Guild <guild@guild.example>' });
    await api.call('PATCH', '/v3/organizations/default', { body: { name: 'Acme <b>&\r\nBcc: all@example.com' } });
    const { status, json } = await invite(api, 'ada@example.com');
    expect([status, json['items']]).toEqual([
      201,
      [expect.objectContaining({ email: 'ada@example.com', result: 'created', state: 'pending', accept_url: '' })],
    ]);
    const [mail] = await mailbox.reaches(1);
    if (mail === undefined) throw new Error('no mail');
    expect([mail.from, mail.to]).toEqual(['guild@guild.example', ['ada@example.com']]);
    expect(mail.raw).toContain('From: The Guild <guild@guild.example>');
    expect(mail.raw.split('\r\n\r\n')[0]).not.toMatch(/^Bcc:/m);
    expect(mail.raw).toMatch(/^Subject: Join Acme <b>& Bcc: all@example.com on Guildhall\r?$/m);
    const [text, html] = [partOf(mail, 'text/plain'), partOf(mail, 'text/html')];
    expect(text).toContain('You are invited to join Acme <b>& Bcc: all@example.com on Guildhall as a member.');
    expect(html).toContain('Acme &#60;b&#62;&#38; Bcc');
    expect(html).not.toContain('<b>');
    const token = linkIn(text);
    expect(html).toContain(`href="${api.url}/invites/${token}"`);
    const accepted = await api.call('POST', `/v3/invites/${token}/accept`, {
      key: '',
      body: { name: 'Ada', password: 'a long enough secret' },
    });
    expect([accepted.status, accepted.json['email']]).toEqual([201, 'ada@example.com']);
    const { rows } = await api.ctx.db.pool.query(
      'select email_verified_at is not null as verified from users where email = $1',
      ['ada@example.com'],
    );
    expect(rows).toEqual([{ verified: true }]);
  });

  test('its token lies nowhere: not in the database, not in the queue', async () => {
    const mailbox = await inbox();
    const api = await start(mailbox);
    await invite(api, 'ada@example.com');
    const [mail] = await mailbox.reaches(1);
    const token = linkIn(mail === undefined ? '' : partOf(mail, 'text/plain'));
    expect(token).toHaveLength(43);
    for (const table of ['invites', 'pgboss.job', 'audit_entries']) {
      const { rows } = await api.ctx.db.pool.query(`select row_to_json(t)::text as row from ${table} t`);
      expect(rows.length).toBeGreaterThan(0);
      expect([table, JSON.stringify(rows).includes(token)]).toEqual([table, false]);
    }
  });

  test('waits for a mail server that is down, and goes out when it is back', async () => {
    const port = await freePort();
    const api = await start({ url: `smtp://127.0.0.1:${port}` });
    expect((await invite(api, 'ada@example.com')).status).toBe(201);
    await until(async () => {
      const { rows } = await api.ctx.db.pool.query(`select 1 from pgboss.job where name = 'mail' and state = 'retry'`);
      return rows[0];
    });
    const mailbox = await inbox(port);
    const [mail] = await mailbox.reaches(1);
    expect(mail?.to).toEqual(['ada@example.com']);
  });

  test('survives the process that took it', async () => {
    const port = await freePort();
    const api = await startTestApi({ GUILDHALL_SMTP_URL: `smtp://127.0.0.1:${port}` });
    open.push(api);
    // This process only queues the mail; a later one sends it.
    await invite(api, 'ada@example.com');
    const mailbox = await inbox(port);
    const later = await api.another();
    startInviteMail(later.ctx);
    await mailbox.reaches(1);
    await later.close();
  });

  test('that is refused for good is given up; the others go out', async () => {
    const mailbox = await inbox();
    const api = await start(mailbox);
    mailbox.refuse(550);
    await invite(api, 'gone@example.com');
    await until(async () => {
      const { rows } = await api.ctx.db.pool.query(
        `select 1 from pgboss.job where name = 'mail' and state = 'completed'`,
      );
      return rows[0];
    });
    mailbox.refuse(0);
    await invite(api, 'ada@example.com');
    expect((await mailbox.reaches(1)).map(({ to }) => to)).toEqual([['ada@example.com']]);
  });

  test('that is sent again has a link of its own, and the first one stops working', async () => {
    const mailbox = await inbox();
    const api = await start(mailbox);
    const { json } = await invite(api, 'ada@example.com');
    await mailbox.reaches(1);
    const id = String(Object(Array.isArray(json['items']) ? json['items'][0] : {}).id);
    const again = await api.call('POST', `${path}/${id}/resend`);
    expect([again.status, again.json['accept_url']]).toEqual([200, '']);
    const [first, second] = (await mailbox.reaches(2)).map((mail) => linkIn(partOf(mail, 'text/plain')));
    expect(first).not.toBe(second);
    const body = { name: 'Ada', password: 'a long enough secret' };
    expect((await api.call('POST', `/v3/invites/${first ?? ''}/accept`, { key: '', body })).status).toBe(404);
    expect((await api.call('POST', `/v3/invites/${second ?? ''}/accept`, { key: '', body })).status).toBe(201);
  });
});

test('a user and password go to another machine over TLS alone', async () => {
  const mailbox = await inbox(0, { user: 'guild', pass: 'p4ssword' });
  const send = (url: string) =>
    createSmtpMailer({ url: () => url, from: 'guild@guild.example' }).send(
      { id: '1', to: 'ada@example.com', subject: 'x', text: 'x', html: 'x' },
      AbortSignal.timeout(20_000),
    );
  await expect(send(mailbox.url.replace('127.0.0.1', '0.0.0.0'))).rejects.toThrow(/STARTTLS|TLS/);
  expect(mailbox.received).toEqual([]);
  await send(mailbox.url);
  expect(mailbox.received.length).toBe(1);
});
