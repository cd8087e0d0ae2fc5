import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { day, minute, org, path, signatureOf, webhooksOf, within } from '../../../test/support/webhooks.ts';
import { startWebhooks } from './jobs.ts';
import { deleteOldDeliveries, wakeOverdue } from './upkeep-service.ts';

let api: TestApi;
const { changeGroup, clean, create, deliverAt, deliveriesOf, hasDeliveries, receive } = webhooksOf(() => api);
beforeAll(async () => {
  api = await startTestApi({ GUILDHALL_EGRESS_ALLOW: 'webhook=127.0.0.1/32' });
});
afterEach(clean);
afterAll(() => api.close());

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
