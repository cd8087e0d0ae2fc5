import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { signedIn, type Browser } from '../../../test/support/browser.ts';
import { openMailbox, partOf } from '../../../test/support/mailbox.ts';
import { setOperatorPassword } from '../auth/password-service.ts';
import { createOperatorOrganization } from '../organizations/service.ts';
import { startInviteMail } from './jobs.ts';

const strangers = 'what a stranger took';
const owners = 'what the owner chose';

let api: TestApi;
let number = 0;
beforeAll(async () => {
  api = await startTestApi({ GUILDHALL_TRUSTED_PROXIES: '127.0.0.0/8' });
});
afterAll(() => api.close());

interface Organization {
  slug: string;
  key: string;
}

function newAddress(): string {
  number += 1;
  return `owner${number}@example.com`;
}

async function organization(at: TestApi = api): Promise<Organization> {
  number += 1;
  return at.createOrganization(`Organization ${number}`);
}

/** Returns the path of an invitation's link. */
async function invite({ slug, key }: Organization, email: string): Promise<string> {
  const path = `/v3/organizations/${slug}/members/invites`;
  const { json } = await api.call('POST', path, { key, body: { emails: [email], permission: 'member' } });
  return new URL(String(Object(Object(json['items'])[0]).accept_url)).pathname;
}

function accept(link: string, body: object, from = '192.0.2.1', at: TestApi = api): Promise<Answer> {
  return at.call('POST', `/v3${link}/accept`, { key: '', body, headers: { 'x-forwarded-for': from } });
}

async function join(at: Organization, email: string, password: string, name = 'Somebody'): Promise<string> {
  const answer = await accept(await invite(at, email), { name, password });
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return String(answer.json['user_id']);
}

function signIn(email: string, password: string, more: object = {}, at: TestApi = api): Promise<Answer> {
  const headers = { 'x-forwarded-for': '198.51.100.1' };
  return at.call('POST', '/v3/auth/sign-in', { key: '', body: { email, password, ...more }, headers });
}

async function slugsOf(browser: Browser): Promise<unknown[]> {
  const { json } = await browser.call('GET', '/v3/organizations');
  return Array.isArray(json['items']) ? json['items'].map((item: unknown) => Object(item).slug) : [];
}

describe('whoever took an address first, without its mailbox', () => {
  test('keeps its owner out of nothing: they accept with a name and password of their own', async () => {
    const email = newAddress();
    const [theirs, elsewhere] = [await organization(), await organization()];
    const stranger = await join(elsewhere, email, strangers, 'Stranger');
    const owner = await join(theirs, email.toUpperCase(), owners, 'Owner');
    expect(owner).not.toBe(stranger);
    const member = await api.call('GET', `/v3/organizations/${theirs.slug}/members/${owner}`, { key: theirs.key });
    expect(member.json).toMatchObject({ name: 'Owner', email: email.toUpperCase() });
    expect(await slugsOf(await signedIn(api, email, owners))).toEqual([theirs.slug]);
  });

  test('keeps what they made, and gets nothing of what the owner is given', async () => {
    const email = newAddress();
    const [theirs, elsewhere] = [await organization(), await organization()];
    await join(elsewhere, email, strangers);
    const stranger = await signedIn(api, email, strangers);
    const made = await stranger.call('POST', '/v3/self/keys', { body: { name: 'stays', scopes: ['run'] } });
    await join(theirs, email, owners);
    expect(await slugsOf(stranger)).toEqual([elsewhere.slug]);
    expect(await slugsOf(await signedIn(api, email, strangers))).toEqual([elsewhere.slug]);
    const body = { name: 'more', scopes: ['run'], organization_id: theirs.slug };
    const key = String(made.json['key']);
    const [here, there] = [
      await api.call('GET', '/v3/self', { key }),
      await api.call('POST', '/v3/self/keys', { key, body }),
    ];
    expect([here.status, there.status]).toEqual([200, 404]);
  });

  test('crowds nobody out: who names the organization finds the account there', async () => {
    const email = newAddress();
    const theirs = await organization();
    for (let n = 0; n < 4; n += 1) await join(await organization(), email, `${strangers} ${n}`);
    await join(theirs, email, owners);
    const { status, json } = await signIn(email, owners, { organization: theirs.slug });
    expect([status, json['organizations']]).toEqual([200, [expect.objectContaining({ slug: theirs.slug })]]);
    expect((await signIn(email, `${strangers} 0`, { organization: theirs.slug })).status).toBe(401);
    expect((await signIn(email, owners, { organization: 'nowhere' })).status).toBe(401);
  });
});

describe('whether an address has an account elsewhere', () => {
  test.each([
    ['a name and a password', { name: 'A', password: owners }, 201],
    ['a password alone', { password: owners }, 400],
    ['a name alone', { name: 'A' }, 400],
    ['nothing', {}, 400],
    ['a password that will not do', { name: 'A', password: 'short' }, 400],
  ])('is not told by the answer to %s', async (_name, body, expected) => {
    const answers = [];
    for (const isKnown of [true, false]) {
      const email = newAddress();
      if (isKnown) await join(await organization(), email, strangers);
      const { status, json, text } = await accept(await invite(await organization(), email), body);
      const told = status === 201 ? Object.keys(json) : text.replace(/"request_id":"[^"]*"/, '').replaceAll(email, '');
      answers.push([status, told]);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.[0]).toBe(expected);
  });

  test('is not told by what the link says', async () => {
    const offers = [];
    const at = await organization();
    for (const isKnown of [true, false]) {
      const email = newAddress();
      if (isKnown) await join(await organization(), email, strangers);
      const { status, json } = await api.call('GET', `/v3${await invite(at, email)}`, { key: '' });
      expect([status, json['email']]).toEqual([200, email]);
      offers.push({ ...json, email: '', expires_at: '' });
    }
    expect(offers[0]).toEqual(offers[1]);
  });

  test('is not found out by guessing its password with ever new links: that is throttled like a sign-in', async () => {
    const email = newAddress();
    await join(await organization(), email, strangers);
    // A fixed clock, so that no second passes on a slow machine.
    const { now } = api.ctx.clock;
    const moment = new Date(now().getTime() + 3_600_000);
    const links = [];
    for (let n = 0; n < 6; n += 1) links.push(await invite(await organization(), email));
    api.ctx.clock.now = () => moment;
    const statuses = [];
    for (const link of links)
      statuses.push(
        (await accept(link, { name: 'A', password: `${owners} ${statuses.length}` }, '203.0.113.5')).status,
      );
    api.ctx.clock.now = now;
    expect(statuses).toEqual([201, 201, 201, 201, 201, 429]);
  });

  test('does not hold up many who join from one network', async () => {
    const at = await organization();
    for (let n = 0; n < 35; n += 1) {
      const { status } = await accept(await invite(at, newAddress()), { name: 'A', password: owners }, '203.0.113.9');
      expect(status).toBe(201);
    }
  });
});

describe('the operator', () => {
  test('gives nothing by e-mail to somebody who only bears it, and says by an organization who is meant', async () => {
    const email = newAddress();
    const [one, other] = [await organization(), await organization()];
    await join(one, email, strangers);
    const second = await join(other, email, owners);
    await expect(setOperatorPassword(api.ctx, email, 'a password of the operator')).rejects.toMatchObject({
      code: 'conflict',
    });
    const made = await createOperatorOrganization(api.ctx, { name: 'By the operator', email });
    expect(await slugsOf(await signedIn(api, email, strangers))).toEqual([one.slug]);
    await setOperatorPassword(api.ctx, email, 'a password of the operator');
    expect(await slugsOf(await signedIn(api, email, 'a password of the operator'))).toEqual([made.slug]);
    await setOperatorPassword(api.ctx, email, 'and one for the other', other.slug);
    const { json } = await signIn(email, 'and one for the other');
    expect(json['user_id']).toBe(second);
  });
});

test('a mailed link makes the address its holder’s, once; who took it before keeps an account of its own', async () => {
  const mailbox = await openMailbox();
  const mailing = await api.another({ GUILDHALL_SMTP_URL: mailbox.url });
  startInviteMail(mailing.ctx);
  try {
    const email = newAddress();
    const stranger = await join(await organization(), email, strangers);
    const ids: string[] = [];
    for (const password of [owners, 'what somebody else chose']) {
      const { slug, key } = await organization();
      const path = `/v3/organizations/${slug}/members/invites`;
      await mailing.call('POST', path, { key, body: { emails: [email], permission: 'member' } });
      const mail = (await mailbox.reaches(ids.length + 1)).at(-1);
      const link = /\/invites\/[\w-]{43}/.exec(mail === undefined ? '' : partOf(mail, 'text/plain'))?.[0] ?? '';
      const accepted = await accept(link, { name: 'Owner', password }, '192.0.2.77', mailing);
      expect(accepted.status).toBe(201);
      ids.push(String(accepted.json['user_id']));
    }
    const { rows } = await api.ctx.db.pool.query(
      'select id, email_verified_at is not null as owns from users where email = $1 order by created_at, id',
      [email],
    );
    expect(rows).toEqual([stranger, ...ids].map((id) => ({ id, owns: id === ids[0] })));
  } finally {
    await mailing.close();
    await mailbox.close();
  }
});
