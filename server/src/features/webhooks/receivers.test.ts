import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import type { Received } from '../../../test/support/receiver.ts';
import { day, minute, org, seqOf, webhooksOf, within } from '../../../test/support/webhooks.ts';
import { suspendOrganization } from '../organizations/deletion-service.ts';

let api: TestApi;
const { changeGroup, clean, create, deliverAt, deliveriesOf, forget, hasDeliveries, receive } = webhooksOf(() => api);
beforeAll(async () => {
  api = await startTestApi({ GUILDHALL_EGRESS_ALLOW: 'webhook=127.0.0.1/32' });
});
afterEach(clean);
afterAll(() => api.close());

function groupOf({ body }: Received): string {
  return JSON.parse(body).data.resource.id;
}

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

  test('arrive one by one and in order, with several senders and a receiver that often fails', async () => {
    const receiver = await receive();
    const hook = await create(receiver.url);
    const ids = await Promise.all(Array.from({ length: 5 }, () => changeGroup(5)));
    await hasDeliveries(hook, 30);
    const accepted: Received[] = [];
    const open = new Set<string>();
    let overlaps = 0;
    receiver.answer((response, received) => {
      const lane = groupOf(received);
      if (open.has(lane)) overlaps += 1;
      open.add(lane);
      const turn = receiver.received.length;
      setTimeout(() => {
        open.delete(lane);
        if (turn % 7 === 0) return response.destroy();
        if (turn % 3 !== 0) accepted.push(received);
        return response.writeHead(turn % 3 === 0 ? 500 : 204).end();
      }, 5);
    });
    for (let at = 0; accepted.length < 30 && at < 100; at += 1)
      await Promise.all([0, 1, 2].map(() => deliverAt(hook, at * 10 * minute)));
    expect(overlaps).toBe(0);
    for (const id of ids) {
      const seqs = accepted.filter((one) => groupOf(one) === id).map(seqOf);
      expect(seqs).toHaveLength(6);
      expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    }
    expect((await deliveriesOf(hook, '&state=pending')).length).toBe(0);
    const { rows } = await api.ctx.db.pool.query('select pending from webhooks where id = $1', [hook.id]);
    expect(rows).toEqual([{ pending: 0 }]);
  });
});

describe('a receiver', () => {
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
    hanging.answer((response) => response.writeHead(204).end());
    await deliverAt(slow, 2 * minute);
    expect((await deliveriesOf(slow)).map(({ state }) => state)).toEqual(Array.from({ length: 6 }, () => 'delivered'));
    // The four that it never answered come again.
    expect(hanging.received).toHaveLength(10);
    expect(new Set(hanging.received.map(({ headers }) => headers['webhook-id'])).size).toBe(6);
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

  test('whose address is corrected gets at once what waited', async () => {
    const receiver = await receive();
    const hook = await create('http://10.1.2.3/hook');
    await changeGroup();
    await hasDeliveries(hook, 1);
    await deliverAt(hook);
    await api.call('PATCH', hook.path, { body: { url: receiver.url } });
    await deliverAt(hook);
    expect(receiver.received).toHaveLength(1);
  });

  test('chosen by somebody with fewer scopes gets nothing that waited for the one before', async () => {
    const receiver = await receive();
    const hook = await create('http://10.1.2.3/hook', { events: ['group.*', 'secret.*'] });
    await api.call('POST', `${org}/secrets`, { body: { key: `N${Date.now()}`, value: 'x' } });
    await hasDeliveries(hook, 1);
    const key = await api.keyWith(['org:read', 'org:write']);
    expect((await api.call('PATCH', hook.path, { key, body: { url: receiver.url } })).status).toBe(200);
    await deliverAt(hook, minute);
    expect(receiver.received).toEqual([]);
    expect((await deliveriesOf(hook))[0]?.state).toBe('failed');
    await api.call('POST', `${org}/secrets`, { body: { key: `M${Date.now()}`, value: 'x' } });
    await changeGroup();
    await hasDeliveries(hook, 2);
    await deliverAt(hook, minute);
    expect(receiver.received.map(({ body }) => JSON.parse(body).type)).toEqual(['group.created']);
  });

  test('that did not answer is tried at once when somebody asks for it', async () => {
    const down = await receive();
    const { url } = down;
    const hook = await create(url);
    forget(down);
    await down.close();
    await changeGroup();
    await hasDeliveries(hook, 1);
    await deliverAt(hook);
    const back = await receive(url);
    await deliverAt(hook);
    expect(back.received).toEqual([]);
    const [waiting] = await deliveriesOf(hook);
    await api.call('POST', `${hook.path}/deliveries/${waiting?.id}/redeliver`, { body: {} });
    await deliverAt(hook);
    expect(back.received).toHaveLength(1);
  });

  test('gets nothing while the operator suspends the organization, and everything afterwards', async () => {
    const receiver = await receive();
    const hook = await create(receiver.url);
    await changeGroup();
    await hasDeliveries(hook, 1);
    await suspendOrganization(api.ctx, 'default', true);
    await deliverAt(hook, minute);
    expect(receiver.received).toEqual([]);
    await suspendOrganization(api.ctx, 'default', false);
    await deliverAt(hook, minute);
    expect(receiver.received).toHaveLength(1);
  });
});
