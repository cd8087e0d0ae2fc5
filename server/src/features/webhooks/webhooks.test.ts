import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { openReceiver, type Received, type Receiver } from '../../../test/support/receiver.ts';
import { webhookHeaders } from '../../lib/standard-webhooks.ts';
import { deliverDue } from './deliver-service.ts';
import { deleteOldDeliveries, wakeOverdue } from './upkeep-service.ts';
import { startWebhooks } from './jobs.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ GUILDHALL_EGRESS_ALLOW: 'webhook=127.0.0.1/32' });
});
afterAll(() => api.close());

const receivers: Receiver[] = [];
const hooks: string[] = [];
afterEach(async () => {
  for (const id of hooks.splice(0)) await api.call('DELETE', `${path}/${id}`);
  for (const receiver of receivers.splice(0)) await receiver.close();
});

const org = '/v3/organizations/default';
const path = `${org}/webhooks`;
const within = { timeout: 20_000, interval: 50 };
const minute = 60_000;
const day = 24 * 60 * minute;

async function receive(): Promise<Receiver> {
  const receiver = await openReceiver();
  receivers.push(receiver);
  return receiver;
}

interface Hook {
  id: string;
  secret: string;
  path: string;
}

async function create(url: string, body: object = { events: ['group.*'] }, key = api.adminKey): Promise<Hook> {
  const { status, json } = await api.call('POST', path, { key, body: { url, ...body } });
  expect(status).toBe(201);
  const id = String(json['id']);
  hooks.push(id);
  return { id, secret: String(json['secret']), path: `${path}/${id}` };
}

/** Creates a group and changes it; returns its id. */
async function changeGroup(times = 0, at = api): Promise<string> {
  const { json } = await at.call('POST', `${org}/groups`, { body: { name: `g ${Math.random()}` } });
  const id = String(json['id']);
  for (let time = 0; time < times; time += 1)
    await at.call('PATCH', `${org}/groups/${id}`, { body: { description: String(time) } });
  return id;
}

interface Delivery {
  id: string;
  type: string;
  resource: { id: string };
  state: string;
  attempts: number;
  status_code: number | null;
  problem: string;
  request_body: string;
  response_body: string;
  next_attempt_at: string | null;
}

async function deliveriesOf(hook: Hook, query = ''): Promise<Delivery[]> {
  const { json } = await api.call('GET', `${hook.path}/deliveries?first=200${query}`);
  return Array.isArray(json['items']) ? json['items'] : [];
}

async function hasDeliveries(hook: Hook, count: number): Promise<void> {
  await expect.poll(async () => (await deliveriesOf(hook)).length, within).toBe(count);
}

/** Sends what is due at this time, as a worker does. */
async function deliverAt(hook: Hook, ms = 0, signal = new AbortController().signal): Promise<void> {
  const clock = { now: () => new Date(Date.now() + ms) };
  await deliverDue({ ...api.ctx, clock }, hook.id, signal);
}

function signatureOf({ headers, body }: Received, secret: string): string | undefined {
  const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
  return webhookHeaders({ id: String(headers['webhook-id']), body, at }, [secret])['webhook-signature'];
}

describe('a webhook', () => {
  test('shows its secret once, and never again', async () => {
    const hook = await create('https://hooks.example.com/x');
    expect(hook.secret).toMatch(/^whsec_/);
    const { json } = await api.call('GET', hook.path);
    expect(json).toMatchObject({ enabled: true, disabled_reason: '', failing_since: null, events: ['group.*'] });
    const rotated = await api.call('POST', `${hook.path}/rotate-secret`, { body: {} });
    expect(rotated.json['secret']).toMatch(/^whsec_/);
    for (const text of [
      JSON.stringify(json),
      (await api.call('GET', path)).text,
      (await api.call('GET', `${org}/audit-logs`)).text,
    ])
      expect(text).not.toContain('whsec_');
    const { rows } = await api.ctx.db.pool.query<{ sealed_secret: Buffer }>(
      'select sealed_secret from webhooks where id = $1',
      [hook.id],
    );
    expect(rows[0]?.sealed_secret.includes(hook.secret)).toBe(false);
  });

  test('is refused with an address or an event that cannot be', async () => {
    for (const body of [
      { url: 'ftp://example.com' },
      { url: 'https://a:b@example.com' },
      { url: 'nonsense' },
      { url: 'https://example.com', events: ['nothing.such'] },
      { url: 'https://example.com', events: ['group'] },
    ]) {
      const answer = await api.call('POST', path, { body });
      expect([answer.status, answer.json['error']]).toEqual([400, 'invalid_request']);
    }
  });

  test('gets the events that it wants, signed, and nothing else', async () => {
    const receiver = await receive();
    const hook = await create(receiver.url);
    const id = await changeGroup(1);
    await api.call('POST', `${org}/sessions`, { body: { prompt: 'x' } });
    await hasDeliveries(hook, 2);
    await deliverAt(hook);
    const [first, second] = receiver.received;
    if (first === undefined || second === undefined) throw new Error('nothing came');
    expect(receiver.received).toHaveLength(2);
    expect(JSON.parse(first.body)).toEqual({
      type: 'group.created',
      timestamp: expect.stringMatching(/Z$/),
      data: {
        organization_id: expect.stringMatching(/^org_/),
        seq: expect.any(Number),
        resource: { type: 'group', id },
        actor: { type: 'user', id: expect.stringMatching(/^usr_/) },
        summary: {},
      },
    });
    expect(JSON.parse(second.body).type).toBe('group.updated');
    expect(first.headers['webhook-signature']).toBe(signatureOf(first, hook.secret));
    expect(first.headers['content-type']).toBe('application/json');
    const [, delivered] = await deliveriesOf(hook);
    expect(delivered).toMatchObject({
      id: first.headers['webhook-id'],
      state: 'delivered',
      attempts: 1,
      status_code: 204,
    });
  });

  test('signs with both secrets while a rotation lasts', async () => {
    const receiver = await receive();
    const hook = await create(receiver.url);
    const { json } = await api.call('POST', `${hook.path}/rotate-secret`, { body: { overlap_seconds: 60 } });
    await changeGroup();
    await hasDeliveries(hook, 1);
    await deliverAt(hook);
    const [during] = receiver.received;
    if (during === undefined) throw new Error('nothing came');
    const [fresh, old] = [signatureOf(during, String(json['secret'])), signatureOf(during, hook.secret)];
    expect(during.headers['webhook-signature']).toBe(`${fresh} ${old}`);
    await changeGroup();
    await hasDeliveries(hook, 2);
    await deliverAt(hook, 2 * minute);
    const after = receiver.received[1];
    if (after === undefined) throw new Error('nothing came');
    expect(after.headers['webhook-signature']).toBe(signatureOf(after, String(json['secret'])));
  });

  test('gets nothing that its creator may not read, and nothing private', async () => {
    const receiver = await receive();
    const key = await api.keyWith(['org:read', 'org:write']);
    const limited = await create(receiver.url, { events: [] }, key);
    const all = await create(receiver.url, { events: ['secret.*', 'group.*'] });
    await api.call('POST', `${org}/secrets`, { body: { key: `A${Date.now()}`, value: 'x' } });
    await api.call('POST', `${org}/secrets`, { body: { key: `B${Date.now()}`, value: 'x', scope: 'user' } });
    await changeGroup();
    await hasDeliveries(all, 2);
    expect((await deliveriesOf(all)).map(({ type }) => type)).toEqual(['group.created', 'secret.created']);
    await expect
      .poll(async () => (await deliveriesOf(limited)).map(({ type }) => type), within)
      .toContain('group.created');
    expect((await deliveriesOf(limited)).filter(({ type }) => type.startsWith('secret'))).toEqual([]);
  });
});

describe('deliveries of one resource', () => {
  test('arrive in order, and one that fails holds only its own resource', async () => {
    const receiver = await receive();
    const hook = await create(receiver.url);
    const stuck = await changeGroup(2);
    const other = await changeGroup(2);
    await hasDeliveries(hook, 6);
    receiver.answer((response, { body }) => response.writeHead(body.includes(stuck) ? 500 : 200).end('no'));
    await deliverAt(hook);
    const seen = (id: string) =>
      receiver.received.filter(({ body }) => body.includes(id)).map(({ body }) => JSON.parse(body).data.seq);
    expect(seen(stuck)).toHaveLength(1);
    expect(seen(other)).toHaveLength(3);
    expect(seen(other)).toEqual(seen(other).toSorted((a, b) => a - b));
    const failed = (await deliveriesOf(hook)).find(({ attempts, state }) => attempts === 1 && state === 'pending');
    expect(failed).toMatchObject({ status_code: 500, response_body: 'no', problem: 'The receiver answered 500.' });
    receiver.answer((response) => response.writeHead(200).end());
    await deliverAt(hook, minute);
    expect(seen(stuck)).toHaveLength(4);
    expect(seen(stuck).slice(1)).toEqual(
      seen(stuck)
        .slice(1)
        .toSorted((a, b) => a - b),
    );
    expect((await deliveriesOf(hook)).map(({ state }) => state)).toEqual(Array.from({ length: 6 }, () => 'delivered'));
  });
});

describe('a receiver', () => {
  test('that is down for an hour gets everything once it is back, in order, each at least once', async () => {
    const receiver = await receive();
    const { url } = receiver;
    await receiver.close();
    receivers.splice(0);
    const hook = await create(url);
    const id = await changeGroup(3);
    await hasDeliveries(hook, 4);
    for (let at = 0; at <= 60; at += 1) await deliverAt(hook, at * minute);
    const attempts = (await deliveriesOf(hook)).reduce((sum, one) => sum + one.attempts, 0);
    // Each pause is a quarter of the outage: some twenty attempts in an hour, not one a minute.
    expect(attempts).toBeGreaterThan(5);
    expect(attempts).toBeLessThan(30);
    expect((await api.call('GET', hook.path)).json['failing_since']).not.toBeNull();
    const back = await reopen(url);
    for (let at = 61; at <= 90; at += 1) await deliverAt(hook, at * minute);
    expect(back.received.map(({ body }) => JSON.parse(body).data.resource.id)).toEqual([id, id, id, id]);
    const seqs = back.received.map(({ body }) => JSON.parse(body).data.seq);
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    expect((await api.call('GET', hook.path)).json['failing_since']).toBeNull();
  });

  test('that redirects is not followed', async () => {
    const [receiver, target] = [await receive(), await receive()];
    const hook = await create(receiver.url);
    receiver.answer((response) => response.writeHead(302, { location: target.url }).end());
    await changeGroup();
    await hasDeliveries(hook, 1);
    await deliverAt(hook);
    expect(target.received).toEqual([]);
    expect((await deliveriesOf(hook))[0]?.problem).toMatch(/redirected with 302/);
  });

  test('at a private address is not called', async () => {
    const hook = await create('http://10.1.2.3/hook');
    await changeGroup();
    await hasDeliveries(hook, 1);
    await deliverAt(hook);
    const [delivery] = await deliveriesOf(hook);
    expect(delivery).toMatchObject({ state: 'pending', status_code: null, response_body: '' });
    expect(delivery?.problem).toMatch(/not public \(private\)/);
  });

  test('that sends without end is read to a limit', async () => {
    const receiver = await receive();
    const hook = await create(receiver.url);
    receiver.answer((response) => {
      response.writeHead(200);
      const pour = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', pour);
      pour();
    });
    await changeGroup();
    await hasDeliveries(hook, 1);
    await deliverAt(hook);
    const [delivery] = await deliveriesOf(hook);
    expect([delivery?.state, delivery?.response_body.length]).toEqual(['delivered', 4_096]);
  });

  test('that hangs holds neither a connection to the database nor another receiver', { timeout: 60_000 }, async () => {
    const [hanging, quick] = [await receive(), await receive()];
    const [slow, fast] = [await create(hanging.url), await create(quick.url)];
    hanging.answer(() => undefined);
    for (let count = 0; count < 6; count += 1) await changeGroup();
    await hasDeliveries(slow, 6);
    await hasDeliveries(fast, 6);
    const held = deliverAt(slow);
    await expect.poll(() => hanging.received.length, within).toBe(4);
    const { rows } = await api.ctx.db.pool.query(
      `select count(*) from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`,
    );
    expect(rows[0]?.count).toBe(0);
    await deliverAt(fast);
    expect(quick.received).toHaveLength(6);
    expect(hanging.received).toHaveLength(4);
    // Another process claims no more of them at once.
    await deliverAt(slow);
    expect(hanging.received).toHaveLength(4);
    await held;
    expect((await deliveriesOf(slow)).find(({ attempts }) => attempts > 0)?.problem).toMatch(
      /did not answer within 20 s/,
    );
  });

  test('that fails for 5 days is disabled, with a notice, and can be enabled again', async () => {
    const receiver = await receive();
    const hook = await create(receiver.url);
    receiver.answer((response) => response.writeHead(500).end());
    await changeGroup(1);
    await hasDeliveries(hook, 2);
    for (let at = 0; at <= 6 * day; at += day / 4) await deliverAt(hook, at);
    const { json } = await api.call('GET', hook.path);
    expect(json).toMatchObject({ enabled: false, disabled_reason: 'failures' });
    expect((await deliveriesOf(hook)).map(({ state }) => state)).toEqual(['failed', 'failed']);
    const audit = await api.call('GET', `${org}/audit-logs?action=webhook.disable`);
    expect(audit.text).toContain(hook.id);
    const redelivered = await api.call(
      'POST',
      `${hook.path}/deliveries/${(await deliveriesOf(hook))[0]?.id}/redeliver`,
      {
        body: {},
      },
    );
    expect(redelivered.status).toBe(409);
    const enabled = await api.call('PATCH', hook.path, { body: { enabled: true } });
    expect(enabled.json).toMatchObject({ enabled: true, disabled_reason: '', failing_since: null });
  });

  test('that answers 410 is disabled at once', async () => {
    const receiver = await receive();
    const hook = await create(receiver.url);
    receiver.answer((response) => response.writeHead(410).end());
    await changeGroup();
    await hasDeliveries(hook, 1);
    await deliverAt(hook);
    expect((await api.call('GET', hook.path)).json).toMatchObject({ enabled: false, disabled_reason: 'gone' });
  });
});

describe('the delivery log', () => {
  test('has tests, whose failure is a result', async () => {
    const receiver = await receive();
    const hook = await create(receiver.url, { enabled: false });
    const good = await api.call('POST', `${hook.path}/test`, { body: {} });
    expect([good.status, good.json['state'], good.json['type']]).toEqual([200, 'delivered', 'webhook.test']);
    receiver.answer((response) => response.writeHead(503).end('later'));
    const bad = await api.call('POST', `${hook.path}/test`, { body: {} });
    expect(bad.json).toMatchObject({
      state: 'failed',
      status_code: 503,
      response_body: 'later',
      next_attempt_at: null,
    });
    expect(await deliveriesOf(hook, '&state=failed')).toHaveLength(1);
  });

  test('redelivers with the same id and body', async () => {
    const receiver = await receive();
    const hook = await create(receiver.url);
    await changeGroup();
    await hasDeliveries(hook, 1);
    await deliverAt(hook);
    const [delivery] = await deliveriesOf(hook);
    const again = await api.call('POST', `${hook.path}/deliveries/${delivery?.id}/redeliver`, { body: {} });
    expect([again.status, again.json['state']]).toEqual([202, 'pending']);
    await deliverAt(hook, 1_000);
    const [first, second] = receiver.received;
    expect([second?.headers['webhook-id'], second?.body]).toEqual([first?.headers['webhook-id'], first?.body]);
    expect((await deliveriesOf(hook))[0]).toMatchObject({ state: 'delivered', attempts: 2 });
  });

  test('is kept for a week', async () => {
    const receiver = await receive();
    const hook = await create(receiver.url);
    await changeGroup();
    await hasDeliveries(hook, 1);
    await deliverAt(hook);
    const { signal } = new AbortController();
    await deleteOldDeliveries(api.ctx, signal);
    expect(await deliveriesOf(hook)).toHaveLength(1);
    await deleteOldDeliveries({ ...api.ctx, clock: { now: () => new Date(Date.now() + 8 * day) } }, signal);
    expect(await deliveriesOf(hook)).toHaveLength(0);
  });
});

test('workers send by themselves, and repeat what failed', async () => {
  startWebhooks(api.ctx);
  const receiver = await receive();
  const hook = await create(receiver.url);
  receiver.answer((response) => response.writeHead(receiver.received.length > 1 ? 200 : 500).end());
  await changeGroup();
  await expect.poll(() => receiver.received.length, within).toBe(2);
  await expect.poll(async () => (await deliveriesOf(hook))[0]?.state, within).toBe('delivered');
  await wakeOverdue(api.ctx);
});

/** Opens a receiver at an address that had one. */
async function reopen(url: string): Promise<Receiver> {
  const receiver = await openReceiver(Number(new URL(url).port));
  receivers.push(receiver);
  return receiver;
}
