import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import type { Received } from '../../../test/support/receiver.ts';
import { day, minute, seqOf, webhooksOf, within, type Hook } from '../../../test/support/webhooks.ts';
import { deliverDue } from './deliver-service.ts';
import { readNextDue } from './delivery-store.ts';

let api: TestApi;
const { changeGroup, clean, create, deliverAt, deliveriesOf, forget, hasDeliveries, receive } = webhooksOf(() => api);
beforeAll(async () => {
  api = await startTestApi({ GUILDHALL_EGRESS_ALLOW: 'webhook=127.0.0.1/32' });
});
afterEach(clean);
afterAll(() => api.close());

const second = 1_000;
const hour = 60 * minute;

function groupOf({ body }: Received): string {
  return JSON.parse(body).data.resource.id;
}

/** Sends what is due whenever it is, until a time in milliseconds after `base`; returns the times. */
async function passTime(hook: Hook, base: number, from: number, until: number): Promise<number[]> {
  const times: number[] = [];
  for (let at = from; at < until;) {
    const clock = { now: () => new Date(base + at) };
    await deliverDue({ ...api.ctx, clock }, hook.id, new AbortController().signal);
    times.push(at);
    const next = await readNextDue(api.ctx.db.kysely, hook.id);
    if (next === undefined) break;
    at = Math.max(at + 1, next.getTime() - base);
  }
  return times;
}

describe('over the hours, a receiver', () => {
  test('that is down for one gets everything within a quarter of it once it is back, in order', async () => {
    const down = await receive();
    const { url } = down;
    const hook = await create(url);
    const id = await changeGroup(3);
    await hasDeliveries(hook, 4);
    const base = Date.now();
    forget(down);
    await down.close();
    const tried = await passTime(hook, base, 0, hour);
    const waits = tried.slice(1).map((at, index) => at - (tried[index] ?? 0));
    expect(waits.slice(0, 4)).toEqual([5, 5, 5, 5].map((seconds) => seconds * second));
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    expect(tried.length).toBeGreaterThan(20);
    expect(tried.length).toBeLessThan(30);
    expect((await api.call('GET', hook.path)).json['failing_since']).not.toBeNull();
    const [first, ...others] = (await deliveriesOf(hook)).toReversed();
    expect([first?.attempts, others.map(({ attempts }) => attempts)]).toEqual([tried.length, [0, 0, 0]]);
    const back = await receive(url);
    const [arrived] = await passTime(hook, base, (await nextOf(hook)) - base, 2 * hour);
    expect(arrived).toBeLessThan(1.25 * hour + 5 * second);
    expect(back.received.map(groupOf)).toEqual([id, id, id, id]);
    const seqs = back.received.map(seqOf);
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    expect((await api.call('GET', hook.path)).json['failing_since']).toBeNull();
  });

  test('that answers 500 for one gets the first event seven times, and then the others of its resource', async () => {
    const receiver = await receive();
    const hook = await create(receiver.url);
    await changeGroup(2);
    await hasDeliveries(hook, 3);
    const base = Date.now();
    receiver.answer((response) => response.writeHead(500).end());
    const tried = await passTime(hook, base, 0, hour);
    expect(tried.map((at) => at / second)).toEqual([0, 5, 35, 155, 755, 2_555]);
    expect(new Set(receiver.received.map(seqOf)).size).toBe(1);
    receiver.answer((response) => response.writeHead(204).end());
    const arrived = await passTime(hook, base, (await nextOf(hook)) - base, day);
    expect(arrived).toEqual([(2_555 + 3_600) * second]);
    const [first = 0] = receiver.received.map(seqOf);
    expect(receiver.received.map(seqOf)).toEqual([...Array.from({ length: 7 }, () => first), first + 1, first + 2]);
    expect(new Set(receiver.received.slice(0, 7).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  test('that refuses one event for ever gets the others, and administrators a notice, but not each day another', async () => {
    const receiver = await receive();
    const hook = await create(receiver.url, { events: ['group.*', 'webhook.delivery_failed'] });
    const refused = [await changeGroup(), await changeGroup()];
    await hasDeliveries(hook, 2);
    const base = Date.now();
    receiver.answer((response, received) =>
      response.writeHead(refused.includes(groupOf(received)) ? 422 : 204).end('x'.repeat(5_000)),
    );
    for (let half = 0; half <= 12; half += 1) {
      await passTime(hook, base, (half * day) / 2, ((half + 1) * day) / 2);
      await changeGroup();
      await hasDeliveries(hook, refused.length + half + 1);
    }
    expect((await api.call('GET', hook.path)).json).toMatchObject({ enabled: true });
    const failed = await deliveriesOf(hook, '&state=failed');
    expect(failed.map(({ resource }) => resource.id).toSorted()).toEqual(refused.toSorted());
    for (const { attempts, attempt_log: log } of failed) {
      expect(log).toHaveLength(attempts);
      for (const attempt of log)
        expect(attempt).toMatchObject({ status_code: 422, problem: 'The receiver answered 422.' });
      expect(log.map(({ at }) => at)).toEqual(log.map(({ at }) => at).toSorted());
    }
    const audit = await api.call('GET', '/v3/organizations/default/audit-logs?action=webhook.delivery_fail');
    expect(audit.json['items']).toHaveLength(1);
    expect(audit.text).toContain(hook.id);
    // It does not get the event about itself.
    expect(receiver.received.map(({ body }) => JSON.parse(body).type)).not.toContain('webhook.delivery_failed');
    const kinds = () =>
      api.ctx.db.pool.query('select distinct kind from notifications where resource_id = $1', [hook.id]);
    await expect.poll(async () => (await kinds()).rows, within).toEqual([{ kind: 'webhook.delivery_failed' }]);
  });

  test('that is down for long has the last attempts in the log of a delivery', async () => {
    const receiver = await receive();
    const hook = await create(receiver.url);
    receiver.answer((response) => response.writeHead(503).end());
    await changeGroup();
    await hasDeliveries(hook, 1);
    const tried = await passTime(hook, Date.now(), 0, 2 * day);
    const [delivery] = await deliveriesOf(hook);
    expect(tried.length).toBeGreaterThan(30);
    expect([delivery?.attempts, delivery?.attempt_log.length]).toEqual([tried.length, 30]);
    expect(delivery?.attempt_log.at(-1)).toMatchObject({ status_code: 503 });
  });

  test('that redirects, to a private address or any other, is repeated and not followed', async () => {
    const [receiver, target] = [await receive(), await receive()];
    const hook = await create(receiver.url);
    const locations = ['http://169.254.169.254/latest/meta-data/', 'http://[::ffff:10.0.0.1]/', target.url];
    receiver.answer((response) => {
      const location = locations[(receiver.received.length - 1) % 3] ?? '';
      response.writeHead(receiver.received.length % 2 === 0 ? 302 : 307, { location }).end();
    });
    await changeGroup();
    await hasDeliveries(hook, 1);
    const tried = await passTime(hook, Date.now(), 0, hour);
    expect(tried.map((at) => at / second)).toEqual([0, 5, 35, 155, 755, 2_555]);
    expect(receiver.received).toHaveLength(6);
    expect(target.received).toEqual([]);
    expect((await deliveriesOf(hook))[0]).toMatchObject({
      state: 'pending',
      attempts: 6,
      status_code: 302,
      problem: 'The receiver redirected with 302. Redirects are not followed.',
    });
  });

  test('that failed once days ago, for a delivery that ended, is not disabled by its next failure', async () => {
    const receiver = await receive();
    const hook = await create(receiver.url);
    await changeGroup();
    await hasDeliveries(hook, 1);
    await deliverAt(hook);
    const [old] = await deliveriesOf(hook);
    receiver.answer((response) => response.writeHead(500).end());
    expect((await api.call('POST', `${hook.path}/deliveries/${old?.id}/redeliver`, { body: {} })).status).toBe(202);
    await deliverAt(hook, 6 * day);
    expect((await deliveriesOf(hook))[0]).toMatchObject({ state: 'failed', attempts: 2 });
    await changeGroup();
    await hasDeliveries(hook, 2);
    await deliverAt(hook, 12 * day);
    expect((await api.call('GET', hook.path)).json).toMatchObject({ enabled: true });
  });
});

async function nextOf(hook: Hook): Promise<number> {
  const next = await readNextDue(api.ctx.db.kysely, hook.id);
  if (next === undefined) throw new Error('Nothing is due.');
  return next.getTime();
}
