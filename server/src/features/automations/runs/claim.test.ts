import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { claim, newAutomation, newRun } from '../../../../test/support/automations.ts';
import { startAutomationRuns } from './jobs.ts';

const organization = '/v3/organizations/default';
const patience = { timeout: 15_000 };
const claims = `${organization}/automations/runs/claim`;

let api: TestApi;
let second: TestApi;
beforeAll(async () => {
  api = await startTestApi({ GUILDHALL_EGRESS_ALLOW: 'webhook=127.0.0.1/32' });
  second = await api.another();
  startAutomationRuns(api.ctx);
});
afterAll(async () => {
  await second.close();
  await api.close();
});

async function read(id: string): Promise<Record<string, unknown>> {
  return (await api.call('GET', `${organization}/automations/runs/${id}`)).json;
}

test('a claim has everything that an executor needs', async () => {
  const automation = await newAutomation(api);
  const { id } = await newRun(api, automation);
  const { status, json } = await api.call('POST', claims, { body: {} });
  expect([status, json]).toEqual([
    200,
    {
      run: {
        id,
        automation_id: automation.id,
        status: 'running',
        attempt_no: 1,
        fencing_token: 1,
        trigger: 'manual',
        session_id: null,
        scheduled_at: null,
        started_at: expect.any(String),
        ended_at: null,
        next_attempt_at: null,
        summary: '',
        error_class: '',
        error_message: '',
        latency_ms: null,
        skip_reason: '',
        created_at: expect.any(String),
        prompt: 'Update the dependencies.',
        lease_expires_at: expect.any(String),
        callback_url: `${api.url}/automations/runs/${id}/callback`,
        callback_token: expect.stringMatching(/^guildrun_[0-9a-f]{64}$/),
      },
    },
  ]);
  expect((await api.call('POST', claims, { body: {} })).status).toBe(204);
});

test('a claim that waits gets a run as soon as there is one, on any process, and 204 in time', async () => {
  const automation = await newAutomation(api);
  const waiting = second.call('POST', claims, { body: { wait_seconds: 30, automation_ids: [automation.id] } });
  const { id } = await newRun(api, automation);
  const { status, json } = await waiting;
  expect([status, Object(json['run'])['id']]).toEqual([200, id]);
  expect((await api.call('POST', claims, { body: { wait_seconds: 1 } })).status).toBe(204);
});

test('waiting claims hold no database connection', async () => {
  const many = Array.from({ length: 40 }, () => api.call('POST', claims, { body: { wait_seconds: 2 } }));
  // The pool has 20 connections.
  expect((await api.call('GET', organization)).status).toBe(200);
  for (const { status } of await Promise.all(many)) expect(status).toBe(204);
});

test('each of 20 runs goes to one of 40 concurrent claims on two processes', async () => {
  const automation = await newAutomation(api, { concurrency: 'parallel' });
  const ids: string[] = [];
  for (let made = 0; made < 20; made += 1) ids.push((await newRun(api, automation)).id);
  const body = { automation_ids: [automation.id], wait_seconds: 2 };
  const claimed = await Promise.all(Array.from({ length: 40 }, (_, at) => claim(at % 2 === 0 ? api : second, body)));
  const got = claimed.flatMap((one) => (one === undefined ? [] : [one.id]));
  expect(got.toSorted()).toEqual(ids.toSorted());
});

test('runs of a queue are claimed one after another', async () => {
  const automation = await newAutomation(api, { concurrency: 'queue' });
  const ids = [await newRun(api, automation), await newRun(api, automation)].map(({ id }) => id);
  const body = { automation_ids: [automation.id] };
  const first = (await claim(api, body)) ?? expect.fail('nothing to claim');
  expect([first.id, await claim(api, body)]).toEqual([ids[0], undefined]);
  const { fencing_token, attempt_no, callback_token: key } = first;
  const waiting = claim(second, { ...body, wait_seconds: 30 });
  const report = { fencing_token, attempt_no, status: 'succeeded' };
  await api.call('POST', `/automations/runs/${first.id}/callback`, { key, body: report });
  expect(await waiting).toMatchObject({ id: ids[1] });
});

test('a replayed claim returns the same attempt without its token', async () => {
  const automation = await newAutomation(api);
  await newRun(api, automation);
  const sent = { body: { automation_ids: [automation.id] }, headers: { 'idempotency-key': 'claim-1' } };
  const [first, again] = [await api.call('POST', claims, sent), await api.call('POST', claims, sent)];
  const { callback_token: token, ...rest } = Object(first.json['run']);
  expect(token).toMatch(/^guildrun_/);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.json).toEqual({ run: { ...rest, callback_token: '' } });
});

test('a replayed claim that found nothing finds nothing again', async () => {
  const automation = await newAutomation(api);
  const sent = { body: { automation_ids: [automation.id] }, headers: { 'idempotency-key': 'claim-2' } };
  expect((await api.call('POST', claims, sent)).status).toBe(204);
  const { status, headers } = await api.call('POST', claims, sent);
  expect([status, headers.get('idempotent-replayed')]).toEqual([204, 'true']);
});

test('a waiting claim ends with its key', async () => {
  const automation = await newAutomation(api);
  const key = await api.keyWith(['run']);
  const self = await api.call('GET', '/v3/self', { key });
  const waiting = api.call('POST', claims, { key, body: { automation_ids: [automation.id], wait_seconds: 30 } });
  const revoked = await api.call(
    'DELETE',
    `${organization}/service-users/${String(self.json['principal_id'])}/keys/${String(Object(self.json['key']).id)}`,
  );
  expect(revoked.status).toBe(204);
  const { status, json } = await waiting;
  expect([status, json['error']]).toEqual([401, 'key_revoked']);
});

test('200 claims of an organization wait in a process; one more gets 503', async () => {
  const automation = await newAutomation(second);
  const body = { automation_ids: [automation.id], wait_seconds: 6 };
  const answers = await Promise.all(Array.from({ length: 201 }, () => second.call('POST', claims, { body })));
  const refused = answers.filter(({ status }) => status !== 204);
  expect(refused.map(({ status, json }) => [status, json['error']])).toEqual([[503, 'capacity_unavailable']]);
});

/** Starts a receiver that answers with a status; returns what it got. */
async function receiver(status: number) {
  const got: { headers: Record<string, unknown>; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => (body += String(part)));
    request.on('end', () => {
      got.push({ headers: request.headers, body });
      response.writeHead(status).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { url: `http://127.0.0.1:${address.port}/runs`, got, close: () => server.close() };
}

async function handedTo(url: string): Promise<{ id: string; secret: string }> {
  const automation = await newAutomation(api, { pause_after_failures: 0 });
  const set = await api.call('POST', `${organization}/automations/${automation.id}/executor`, { body: { url } });
  expect(set.status).toBe(200);
  const { id } = await newRun(api, automation);
  return { id, secret: String(set.json['secret']) };
}

test('a receiver gets the run, signed, and reports with the token in it', async () => {
  const { url, got, close } = await receiver(202);
  const { id, secret } = await handedTo(url);
  await expect.poll(() => got.length, patience).toBe(1);
  close();
  const [{ headers, body } = expect.fail('nothing was sent')] = got;
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  const { type, data } = JSON.parse(body);
  expect([type, data.run.id, data.run.prompt]).toEqual(['run.handed_out', id, 'Update the dependencies.']);
  const { fencing_token, attempt_no, callback_url, callback_token } = data.run;
  const report = await api.call('POST', new URL(callback_url).pathname, {
    key: callback_token,
    body: { fencing_token, attempt_no, status: 'succeeded' },
  });
  expect([report.status, report.json['status']]).toEqual([200, 'succeeded']);
});

test('a receiver gets the runs that waited for it', async () => {
  const automation = await newAutomation(api, { concurrency: 'parallel' });
  const runs = [await newRun(api, automation), await newRun(api, automation)];
  const { url, got, close } = await receiver(202);
  await api.call('POST', `${organization}/automations/${automation.id}/executor`, { body: { url } });
  await expect.poll(() => got.length, patience).toBe(2);
  close();
  const ids = got.map(({ body }) => String(JSON.parse(body).data.run.id));
  expect(ids.toSorted()).toEqual(runs.map(({ id }) => id).toSorted());
});

test.each([
  ['a receiver that answers 500', 500],
  ['a receiver that redirects', 307],
])('%s fails the attempt', async (_, status) => {
  const { url, close } = await receiver(status);
  const { id } = await handedTo(url);
  await expect.poll(() => read(id), patience).toMatchObject({ status: 'failed', error_class: 'hand_out_failed' });
  close();
});

test('a receiver that was set by a service user gets nothing once that is deleted', async () => {
  const { url, got, close } = await receiver(202);
  const automation = await newAutomation(api, { pause_after_failures: 0 });
  const path = `${organization}/automations/${automation.id}/executor`;
  const key = await api.keyWith(['run']);
  const { principal_id: serviceUser } = (await api.call('GET', '/v3/self', { key })).json;
  await api.call('POST', path, { key, body: { url } });
  await newRun(api, automation);
  await expect.poll(() => got.length, patience).toBe(1);
  const { data } = JSON.parse(String(got[0]?.body));
  await api.call('DELETE', `${organization}/service-users/${String(serviceUser)}`);
  // Its attempt is finished nevertheless.
  const { fencing_token, attempt_no, callback_token } = data.run;
  const body = { fencing_token, attempt_no, status: 'succeeded' };
  const report = await api.call('POST', new URL(data.run.callback_url).pathname, { key: callback_token, body });
  expect([report.status, report.json['status']]).toEqual([200, 'succeeded']);
  const { id } = await newRun(api, automation);
  const error_message = 'Who set the receiver no longer has the scope run. Set the receiver of this automation again.';
  await expect
    .poll(() => read(id), patience)
    .toMatchObject({ status: 'failed', error_class: 'forbidden', error_message });
  await api.call('POST', path, { body: { url } });
  await newRun(api, automation);
  await expect.poll(() => got.length, patience).toBe(2);
  close();
});

test('a private address that the operator did not allow gets nothing', async () => {
  const { id } = await handedTo('http://10.0.0.1/runs');
  await expect
    .poll(() => read(id), patience)
    .toMatchObject({
      status: 'failed',
      error_class: 'hand_out_failed',
      error_message: expect.stringContaining('not public'),
    });
});

test('a public address without TLS does not get the callback token', async () => {
  const { id } = await handedTo('http://1.1.1.1/runs');
  await expect
    .poll(() => read(id), patience)
    .toMatchObject({
      status: 'failed',
      error_class: 'hand_out_failed',
      error_message: '1.1.1.1:80 has a public address, and the request contains a token. Use https.',
    });
});
