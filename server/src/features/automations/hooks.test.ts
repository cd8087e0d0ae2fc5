import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';

const org = '/v3/organizations/default';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ GUILDHALL_TRUSTED_PROXIES: '127.0.0.1/32' });
});
afterAll(() => api.close());

const create = (body: object): Promise<Answer> =>
  api.call('POST', `${org}/automations`, { body: { name: 'x', action: { prompt_template: 'Do it.' }, ...body } });
const runsOf = async (id: string): Promise<Record<string, unknown>[]> => {
  const { json } = await api.call('GET', `${org}/automations/${id}/runs`);
  return Array.isArray(json['items']) ? json['items'] : [];
};

const payload = JSON.stringify({ action: 'opened' });

async function newHook(more: object = {}) {
  const conditions = [{ path: '/action', operator: 'equals', value: 'opened' }];
  const made = await create({
    executor: 'external',
    concurrency: 'queue',
    triggers: [{ type: 'webhook', conditions }],
    ...more,
  });
  const [trigger] = Array.isArray(made.json['triggers']) ? made.json['triggers'] : [];
  const { pathname } = new URL(String(trigger.url));
  return { id: String(made.json['id']), path: pathname, secret: String(made.json['hook_secret']) };
}

function send(
  { path, secret }: { path: string; secret: string },
  {
    body = payload,
    id = 'dlv_1',
    ageSeconds = 0,
    from = '192.0.2.1',
    ...more
  }: { body?: string; id?: string; signed?: string; ageSeconds?: number; from?: string } = {},
): Promise<Answer> {
  const { signed = body } = more;
  const timestamp = String(Math.floor(Date.now() / 1_000) - ageSeconds);
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${signed}`).digest('base64');
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,AAAA v1,${signature}`,
    'x-forwarded-for': from,
  };
  return api.call('POST', path, { key: '', raw: body, headers });
}

test('a webhook starts one run per delivery', async () => {
  const hook = await newHook();
  const first = await send(hook);
  expect([first.status, first.json]).toMatchObject([202, { accepted: true, duplicate: false }]);
  expect((await send(hook)).json).toEqual({ ...first.json, duplicate: true });
  await Promise.all(Array.from({ length: 20 }, () => send(hook, { id: 'dlv_2' })));
  expect(await runsOf(hook.id)).toHaveLength(2);
});

test('a webhook refuses what is not signed, or not now', async () => {
  const hook = await newHook();
  const other = await newHook();
  expect((await api.call('POST', hook.path, { key: '', raw: payload })).status).toBe(401);
  expect((await send(hook, { signed: '{}' })).status).toBe(401);
  expect((await send({ ...hook, secret: other.secret })).status).toBe(401);
  expect((await send(hook, { ageSeconds: 301 })).status).toBe(401);
  expect((await send(hook, { ageSeconds: -310 })).status).toBe(401);
  expect((await send({ ...hook, path: '/v3/hooks/hook_none' })).status).toBe(404);
  expect((await send(hook, { ageSeconds: 290 })).status).toBe(202);
  expect(await runsOf(hook.id)).toHaveLength(1);
});

test('a webhook starts nothing if its conditions are not met, or if it is paused', async () => {
  const hook = await newHook();
  expect((await send(hook, { body: '{"action":"closed"}' })).json['accepted']).toBe(false);
  await api.call('POST', `${org}/automations/${hook.id}/pause`);
  expect((await send(hook)).json['accepted']).toBe(false);
  expect(await runsOf(hook.id)).toEqual([]);
});

test('a webhook is accepted from any address: its signature is enough', async () => {
  const hook = await newHook();
  const restrict = (isOn: boolean) =>
    api.ctx.db.pool.query(
      "update organizations set ip_list_enabled = $1, ip_list_revision = ip_list_revision + 1 where slug = 'default'",
      [isOn],
    );
  await restrict(true);
  const refused = await api.call('GET', `${org}/automations/${hook.id}`);
  const accepted = await send(hook);
  await restrict(false);
  expect([refused.status, accepted.status]).toEqual([403, 202]);
});

test('a webhook has a new URL and secret once it is replaced', async () => {
  const hook = await newHook();
  const { json } = await api.call('PATCH', `${org}/automations/${hook.id}`, {
    body: { triggers: [{ type: 'webhook' }] },
  });
  expect(json['hook_secret']).toMatch(/^whsec_/);
  expect(json['hook_secret']).not.toBe(hook.secret);
  expect((await send(hook)).status).toBe(404);
});

test('a webhook gets a new secret at the same URL; the old one is valid until the overlap ends', async () => {
  const hook = await newHook();
  const rotate = async (body: object): Promise<string> => {
    const { status, json } = await api.call('POST', `${org}/automations/${hook.id}/rotate-secret`, { body });
    expect([status, json['id']]).toEqual([200, hook.id]);
    return String(json['hook_secret']);
  };
  let sent = 0;
  const accepts = async (secret: string): Promise<number> => {
    sent += 1;
    return (await send({ ...hook, secret }, { id: `dlv_${sent}` })).status;
  };
  const second = await rotate({});
  expect(second).toMatch(/^whsec_/);
  expect([await accepts(hook.secret), await accepts(second)]).toEqual([202, 202]);
  await api.ctx.db.pool.query('update automations set hook_previous_until = now() where id = $1', [hook.id]);
  expect([await accepts(hook.secret), await accepts(second)]).toEqual([401, 202]);
  const third = await rotate({ overlap_seconds: 0 });
  expect([await accepts(second), await accepts(third)]).toEqual([401, 202]);
  expect((await api.call('GET', `${org}/automations/${hook.id}`)).json['hook_secret']).toBe('');
  const path = `${org}/automations/${String((await create({ triggers: [] })).json['id'])}/rotate-secret`;
  expect((await api.call('POST', path, { body: {} })).json['error']).toBe('conflict');
});

test('many requests without a valid signature get 429, and the true sender is not locked out', async () => {
  const hook = await newHook();
  const forged = { ...hook, secret: `whsec_${Buffer.alloc(32).toString('base64')}` };
  const attack = async (): Promise<number> => (await send(forged, { from: '192.0.2.66' })).status;
  const statuses = new Set<number>();
  for (let round = 0; round < 40 && !statuses.has(429); round += 1)
    for (const status of await Promise.all(Array.from({ length: 50 }, attack))) statuses.add(status);
  expect(statuses).toEqual(new Set([401, 429]));
  expect((await send(forged, { from: '192.0.2.77' })).status).toBe(401);
  expect((await send(hook, { from: '192.0.2.66' })).status).toBe(202);
});
