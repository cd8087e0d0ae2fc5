import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { lookAtRun } from '../../src/features/automations/runs/look-service.ts';
import { scopes } from '../../src/lib/scopes.ts';
import { startTestApi, type Answer, type TestApi } from '../support/api.ts';
import { claim, newAutomation, newRun, type ClaimedAttempt, type TestAutomation } from '../support/automations.ts';

const organization = '/v3/organizations/default';

let api: TestApi;
let second: TestApi;
let automation: TestAutomation;
let elsewhere: { key: string };
let run: ClaimedAttempt;
beforeAll(async () => {
  api = await startTestApi();
  second = await api.another();
  elsewhere = await api.createOrganization('Elsewhere');
});
afterAll(async () => {
  await second.close();
  await api.close();
});
beforeEach(async () => {
  automation = await newAutomation(api, { retry: { max_attempts: 1 }, pause_after_failures: 0 });
  run = await claimed();
});

async function claimed(of = automation): Promise<ClaimedAttempt> {
  await newRun(api, of);
  return (await claim(api, { automation_ids: [of.id] })) ?? expect.fail('nothing to claim');
}

interface Sending {
  key?: string;
  of?: string;
  on?: TestApi;
}

function post(body: unknown, { key = run.callback_token, of = run.id, on = api }: Sending = {}): Promise<Answer> {
  return on.call('POST', `/automations/runs/${of}/callback`, { key, body });
}

/** Reports with the numbers of the attempt. */
function report(status: unknown, fields: object = {}, sending: Sending = {}): Promise<Answer> {
  const { fencing_token, attempt_no } = run;
  return post({ fencing_token, attempt_no, status, ...fields }, sending);
}

async function read(id = run.id): Promise<Record<string, unknown>> {
  return (await api.call('GET', `${organization}/automations/runs/${id}`)).json;
}

/** Lets the lease expire, as for an executor that died. */
async function expire(id = run.id): Promise<void> {
  await api.ctx.db.pool.query(
    "update automation_runs set lease_expires_at = now() - interval '1 second' where id = $1",
    [id],
  );
  await lookAtRun(api.ctx, id);
}

/** The response to an accepted report: these keys and nothing else. */
function accepted(status: string, more: object = {}): object {
  return {
    run_id: run.id,
    status,
    attempt_no: run.attempt_no,
    accepted: true,
    duplicate: false,
    next_attempt_at: null,
    ...more,
  };
}

/** Checks an error of the unversioned operations (section 2): these two strings and nothing else. */
function refused(answer: Answer, status: number, error: string): void {
  expect([answer.status, answer.json]).toEqual([status, { error, message: expect.stringMatching(/\S/) }]);
}

/** Checks a validation error body (section 2), about one field. */
function invalid(answer: Answer, loc: string[]): void {
  expect([answer.status, Object.keys(answer.json)]).toEqual([422, ['detail']]);
  const detail: unknown[] = Array.isArray(answer.json['detail']) ? answer.json['detail'] : [];
  expect(detail.length).toBeGreaterThan(0);
  for (const entry of detail) {
    expect(Object.keys(Object(entry))).toEqual(['loc', 'msg', 'type', 'input', 'ctx']);
    expect(entry).toMatchObject({ loc, msg: expect.stringMatching(/\S/), type: expect.stringMatching(/\S/) });
    expect(Object.prototype.toString.call(Object(entry).ctx)).toBe('[object Object]');
  }
}

describe('source 4.7, report a run: request', () => {
  test('takes every field of the document and answers 200 with a body', async () => {
    const answer = await report('succeeded', {
      summary: 'Done.',
      error_class: '',
      error_message: '',
      latency_ms: 1_234,
    });
    expect([answer.status, answer.json]).toEqual([200, accepted('succeeded')]);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await read()).toMatchObject({ status: 'succeeded', summary: 'Done.', latency_ms: 1_234, error_class: '' });
  });

  test.each(['fencing_token', 'attempt_no', 'status'])('requires %s', async (field) => {
    const { fencing_token, attempt_no } = run;
    const body: Record<string, unknown> = { fencing_token, attempt_no, status: 'running' };
    delete body[field];
    invalid(await post(body), ['body', field]);
  });

  test.each([
    ['fencing_token', -1],
    ['fencing_token', 1.5],
    ['fencing_token', '1'],
    ['fencing_token', null],
    ['attempt_no', 0],
    ['attempt_no', '1'],
    ['status', 'done'],
    ['status', ''],
    ['status', 7],
    ['summary', 7],
    ['summary', 'a\u0000b'],
    ['summary', 'x'.repeat(10_001)],
    ['error_class', null],
    ['error_message', {}],
    ['latency_ms', -1],
    ['latency_ms', '5'],
  ])('refuses %s: %j', async (field, value) => {
    invalid(await report('running', { [field]: value }), ['body', field]);
    expect(await read()).toMatchObject({ status: 'running' });
  });

  test('ignores unknown fields', async () => {
    expect((await report('running', { color: 'blue' })).status).toBe(200);
  });

  test('a run that does not exist, or of another organization, is the same 404', async () => {
    const key = await api.keyWith(['run']);
    refused(await report('running', {}, { key, of: 'run_00000000000000000000000000' }), 404, 'run_not_found');
    refused(await report('running', {}, { key: elsewhere.key }), 404, 'run_not_found');
  });
});

describe('source 4.7: credentials', () => {
  test("takes the attempt's callback token, or a key with run, and nothing else", async () => {
    expect((await report('running')).status).toBe(200);
    expect((await report('running', {}, { key: await api.keyWith(['run']) })).status).toBe(200);
    refused(await report('running', {}, { key: '' }), 401, 'unauthorized');
    refused(await report('running', {}, { key: `guildrun_${'0'.repeat(64)}` }), 401, 'unauthorized');
    for (const scope of scopes.filter((one) => one !== 'run'))
      refused(await report('running', {}, { key: await api.keyWith([scope]) }), 403, 'forbidden');
  });

  test('the callback token reports its own run only, and opens nothing else', async () => {
    const { callback_token: key } = run;
    const other = await claimed(await newAutomation(api));
    refused(await report('running', {}, { of: other.id }), 403, 'forbidden');
    refused(await report('running', {}, { of: 'run_00000000000000000000000000' }), 403, 'forbidden');
    const self = await api.call('GET', '/v3/self', { key });
    expect([self.status, self.json['error']]).toEqual([401, 'unauthorized']);
    refused(await api.call('GET', '/agents', { key }), 401, 'unauthorized');
    refused(await api.call('POST', '/browser/navigate', { key, body: {} }), 401, 'unauthorized');
  });

  test('the callback token of an earlier attempt cannot report a later one', async () => {
    const retried = await newAutomation(api, { retry: { max_attempts: 2, backoff_seconds: 0 } });
    run = await claimed(retried);
    const first = run;
    await expire();
    await lookAtRun(api.ctx, run.id);
    run = (await claim(api, { automation_ids: [retried.id] })) ?? expect.fail('nothing to claim');
    expect(run).toMatchObject({ id: first.id, fencing_token: 2, attempt_no: 2 });
    refused(await report('succeeded', {}, { key: first.callback_token }), 403, 'forbidden');
    expect(await read()).toMatchObject({ status: 'running' });
    expect((await report('succeeded')).json).toEqual(accepted('succeeded'));
  });

  test('the IP access list holds for keys, not for callback tokens', async () => {
    const key = await api.keyWith(['run']);
    const list = { enabled: true, entries: [{ cidr: '10.0.0.0/8', note: '' }], force: true };
    expect((await api.call('PUT', `${organization}/ip-access-list`, { body: list })).status).toBe(200);
    refused(await report('running', {}, { key }), 403, 'ip_not_allowed');
    const answer = await report('running');
    await api.ctx.db.pool.query('update organizations set ip_list_enabled = false');
    expect(answer.json).toEqual(accepted('running'));
  });

  test('only a hash of the token is stored', async () => {
    const { rows } = await api.ctx.db.pool.query<{ text: string }>(
      'select row_to_json(t)::text as text from automation_run_tokens t where run_id = $1',
      [run.id],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.text).not.toContain(run.callback_token);
    expect(rows[0]?.text).not.toContain(run.callback_token.slice('guildrun_'.length));
  });
});

describe('source 4.7: fencing', () => {
  test('only the newest token of the current attempt is heard, also by another process', async () => {
    for (const [fencing_token, attempt_no, error] of [
      [0, 1, 'unknown_fencing_token'],
      [2, 1, 'unknown_fencing_token'],
      [Number.MAX_SAFE_INTEGER, 1, 'unknown_fencing_token'],
      [1, 2, 'unknown_fencing_token'],
    ] as const)
      refused(await report('succeeded', { fencing_token, attempt_no }), 409, error);
    expect((await report('running', {}, { on: second })).json).toEqual(accepted('running'));
  });

  test('an older token is stale once another attempt was claimed', async () => {
    const retried = await newAutomation(api, { retry: { max_attempts: 2, backoff_seconds: 0 } });
    run = await claimed(retried);
    const first = run;
    await expire();
    await lookAtRun(api.ctx, run.id);
    await claim(api, { automation_ids: [retried.id] });
    for (const status of ['running', 'succeeded', 'failed', 'timed_out', 'canceled'])
      refused(await post({ ...numbers(first), status }, { key: first.callback_token }), 409, 'stale_fencing_token');
    expect(await read()).toMatchObject({ status: 'running', attempt_no: 2, fencing_token: 2 });
  });

  test('a run that nobody has claimed has no token yet', async () => {
    const { id } = await newRun(api, await newAutomation(api));
    const key = await api.keyWith(['run']);
    refused(await report('running', {}, { of: id, key }), 409, 'unknown_fencing_token');
  });
});

function numbers({ fencing_token, attempt_no }: ClaimedAttempt) {
  return { fencing_token, attempt_no };
}

describe('source 4.7: status', () => {
  test('running renews the lease and changes nothing else', async () => {
    const lease = async (): Promise<Date> => {
      const { rows } = await api.ctx.db.pool.query<{ at: Date }>(
        'select lease_expires_at as at from automation_runs where id = $1',
        [run.id],
      );
      return rows[0]?.at ?? expect.fail('no lease');
    };
    await api.ctx.db.pool.query(
      "update automation_runs set lease_expires_at = lease_expires_at - interval '30 seconds' where id = $1",
      [run.id],
    );
    const before = await lease();
    expect((await report('running')).json).toEqual(accepted('running'));
    expect((await lease()).getTime()).toBeGreaterThan(before.getTime() + 25_000);
    expect(await read()).toMatchObject({ status: 'running', ended_at: null });
  });

  test.each(['succeeded', 'failed', 'timed_out', 'canceled'])(
    '%s ends the run; again, it is a duplicate',
    async (end) => {
      expect((await report(end)).json).toEqual(accepted(end));
      const ended = await read();
      expect(ended).toMatchObject({ status: end, ended_at: expect.any(String) });
      expect((await report(end, { summary: 'Later.' }, { on: second })).json).toEqual(
        accepted(end, { duplicate: true }),
      );
      for (const other of ['running', 'succeeded', 'failed', 'timed_out', 'canceled'].filter((one) => one !== end))
        refused(await report(other), 409, 'run_terminal');
      expect(await read()).toEqual(ended);
    },
  );

  test('a failure with attempts left says when the next one comes', async () => {
    run = await claimed(await newAutomation(api, { retry: { max_attempts: 2, backoff_seconds: 60 } }));
    const sent = Date.now();
    const { json } = await report('failed', { error_class: 'tests_failed', error_message: '2 failed.' });
    expect(json).toEqual(accepted('retrying', { next_attempt_at: expect.any(String) }));
    const delayMs = Date.parse(String(json['next_attempt_at'])) - sent;
    expect(delayMs).toBeGreaterThan(55_000);
    expect(delayMs).toBeLessThan(75_000);
    expect(await read()).toMatchObject({ status: 'retrying', error_class: 'tests_failed', error_message: '2 failed.' });
    expect((await report('failed')).json).toMatchObject({ duplicate: true, status: 'retrying' });
  });

  test("a late success corrects the watchdog's timed_out, once", async () => {
    await expire();
    expect(await read()).toMatchObject({ status: 'timed_out', error_class: 'lease_expired' });
    refused(await report('failed'), 409, 'run_terminal');
    refused(await report('running'), 409, 'run_terminal');
    expect((await report('succeeded', { summary: 'Slow.' })).json).toEqual(accepted('succeeded'));
    expect(await read()).toMatchObject({ status: 'succeeded', summary: 'Slow.', error_class: '' });
    expect((await report('succeeded')).json).toEqual(accepted('succeeded', { duplicate: true }));
    refused(await report('timed_out'), 409, 'run_terminal');
  });

  test("a success does not correct the executor's own timed_out", async () => {
    await report('timed_out');
    refused(await report('succeeded'), 409, 'run_terminal');
  });

  test('of 16 concurrent reports of different ends one is accepted', async () => {
    const ends = ['succeeded', 'failed', 'timed_out', 'canceled'];
    const sent = Array.from({ length: 16 }, (_, at) => report(ends[at % 4], {}, { on: at % 2 === 0 ? api : second }));
    const answers = await Promise.all(sent);
    const first = answers.filter(({ status, json }) => status === 200 && json['duplicate'] === false);
    expect(first).toHaveLength(1);
    const duplicates = answers.filter(({ json }) => json['duplicate'] === true);
    expect(duplicates).toHaveLength(3);
    expect(answers.filter(({ json }) => json['error'] === 'run_terminal')).toHaveLength(12);
    expect(await read()).toMatchObject({ status: first[0]?.json['status'] });
  });
});
