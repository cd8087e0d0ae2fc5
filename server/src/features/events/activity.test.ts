import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { openStream, type StreamReader } from '../../../test/support/event-stream.ts';
import { sessionIn, start } from '../../../test/support/session-states.ts';
import { append, finish, type Run } from '../sessions/run/run-service.ts';

let api: TestApi;
let other: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  other = await api.another();
});
afterAll(async () => {
  await other.close();
  await api.close();
});

const org = '/v3/organizations/default';
const type = 'session.activity_changed';
const within = { timeout: 20_000, interval: 50 };

async function follow(at: TestApi, query = '', key = api.adminKey): Promise<StreamReader> {
  const stream = await openStream(at, `${org}/events/stream${query}`, { key });
  await expect.poll(() => stream.text(), within).toContain(': connected');
  return stream;
}

async function work(run: Run, title: string): Promise<void> {
  await append(api.ctx, run, [{ kind: 'tool_call', data: { call_id: title, name: 'x', title, input: {} } }]);
}

function activityIn({ frames }: StreamReader, id: string) {
  return frames.filter(({ event, data }) => event === type && Object(data['resource']).id === id);
}

function textsIn(stream: StreamReader, id: string): unknown[] {
  return activityIn(stream, id).map(({ data }) => Object(data['summary']).activity.text);
}

async function running(): Promise<{ id: string; path: string; run: Run }> {
  const { id, path } = await sessionIn(api, 'queued');
  return { id, path, run: await start(api, id) };
}

test('the stream tells on every process what sessions do: at once, at most once a second, and the last in any case', async () => {
  const streams = [await follow(api), await follow(other, `?types=${type}`)];
  const [busy, calm] = [await running(), await running()];
  const began = performance.now();
  for (let step = 1; step <= 40; step += 1) {
    await work(busy.run, `Step ${step}`);
    if (step === 20) await work(calm.run, 'Once');
  }
  for (const stream of streams) {
    await expect.poll(() => textsIn(stream, busy.id).at(-1), within).toBe('Step 40');
    await expect.poll(() => textsIn(stream, calm.id), within).toEqual(['Once']);
    const seconds = (performance.now() - began) / 1_000;
    expect(textsIn(stream, busy.id).length).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
    const [last] = activityIn(stream, busy.id).slice(-1);
    const { activity } = (await api.call('GET', busy.path)).json;
    expect(last).toEqual({
      id: undefined,
      event: type,
      data: {
        seq: expect.any(Number),
        type,
        resource: { type: 'session', id: busy.id },
        actor: { type: 'session', id: busy.id, name: '' },
        at: Object(activity).at,
        summary: { activity },
      },
    });
  }
  expect(new Set(streams[1]?.frames.map(({ event }) => event))).toEqual(new Set([type]));
  for (const stream of streams) await stream.leave();
});

test('only those who may read sessions of the organization are told', async () => {
  const blind = await follow(api, '', await api.keyWith(['org:read']));
  const elsewhere = await api.createOrganization('Elsewhere');
  const foreign = await openStream(api, `/v3/organizations/${elsewhere.slug}/events/stream`, { key: elsewhere.key });
  await expect.poll(() => foreign.text(), within).toContain(': connected');
  const seeing = await follow(api);
  const { id, run } = await running();
  await work(run, 'Read a.ts');
  await expect.poll(() => textsIn(seeing, id), within).toEqual(['Read a.ts']);
  await api.call('POST', `${org}/groups`, { body: { name: 'last' } });
  await expect.poll(() => blind.frames.map(({ event }) => event), within).toContain('group.created');
  expect([activityIn(blind, id), activityIn(foreign, id)]).toEqual([[], []]);
  for (const stream of [blind, foreign, seeing]) await stream.leave();
});

test('a change of the attention is an event, with what the session needs now', async () => {
  const stream = await follow(api, '?types=session.*');
  const { id, path, run } = await running();
  const end = { status: 'waiting', status_detail: 'awaiting_user', sandbox_state: 'none', sandboxSeconds: 1 } as const;
  await finish(api.ctx, run, end);
  await api.call('POST', `${path}/cancel`);
  await api.call('POST', `${path}/archive`);
  const seen = () => stream.frames.filter(({ data }) => Object(data['resource']).id === id);
  await expect.poll(() => seen().at(-1)?.event, within).toBe('session.archived');
  const attention = seen()
    .filter(({ event }) => event === 'session.status_changed')
    .map(({ data }) => Object(data['summary']).attention);
  expect(attention).toEqual(['', '', 'answer', '']);
  await stream.leave();
});

test('a webhook cannot ask for events that are not kept', async () => {
  const body = { url: 'https://example.com/hook', events: [type] };
  const { status, json } = await api.call('POST', `${org}/webhooks`, { body });
  expect([status, json['error']]).toEqual([400, 'invalid_request']);
});
