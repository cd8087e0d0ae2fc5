import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../../test/support/api.ts';
import { sessionIn, start, states, take, type State } from '../../../../test/support/session-states.ts';
import { newId } from '../../../lib/ids.ts';
import { finish } from '../run/run-service.ts';
import { beginTurn, takeMessages } from '../run/turn-service.ts';
import { withdrawQueuedMessages } from '../store/message-store.ts';

let api: TestApi;
let userId: string;
beforeAll(async () => {
  api = await startTestApi();
  userId = String((await api.call('GET', '/v3/self')).json['principal_id']);
});
afterAll(() => api.close());

function expectError({ status, json }: Answer, expected: number, error: string): void {
  expect([status, json['error']]).toEqual([expected, error]);
}

function say(path: string, body: object): Promise<Answer> {
  return api.call('POST', `${path}/messages`, { body });
}

async function statusOf(path: string): Promise<unknown> {
  return (await api.call('GET', path)).json['status'];
}

/** Counts the notifications from now on that a session waits for a worker. */
async function countWakes() {
  const { pool } = api.ctx.db;
  const marks = ['begin', 'end'].map((name) => `${name} ${newId('req')}`);
  const heard: (string | undefined)[] = [];
  const leave = api.ctx.notifications.subscribe('guildhall_dispatch', undefined, (payload) => heard.push(payload));
  const mark = async (text: string | undefined): Promise<number> => {
    await pool.query("select pg_notify('guildhall_dispatch', $1)", [text]);
    await expect.poll(() => heard.includes(text)).toBe(true);
    return heard.indexOf(text);
  };
  const begin = await mark(marks[0]);
  return async (): Promise<number> => {
    const end = await mark(marks[1]);
    leave();
    return end - begin - 1;
  };
}

/** The state after a message; undefined if the message is rejected. */
const after: Record<State, string | undefined> = {
  queued: 'queued',
  provisioning: 'provisioning',
  running: 'running',
  waiting: 'running',
  suspended: 'queued',
  completed: 'queued',
  failed: undefined,
  'failed with a checkpoint': 'queued',
  canceled: undefined,
};

describe('a message', () => {
  test('has its sender and its attachments in the log, and what becomes of it', async () => {
    const { path } = await sessionIn(api, 'queued');
    const form = new FormData();
    form.set('file', new Blob(['x']), 'x.txt');
    const stored = await fetch(`${api.url}/v3/organizations/default/attachments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api.adminKey}` },
      body: form,
    });
    const attachment = String(Object(await stored.json()).id);
    const { json } = await say(path, { content: 'Look.', attachment_ids: [attachment] });
    await api.call('DELETE', `${path}/messages/${String(json['id'])}`);
    const log = (await api.call('GET', `${path}/events?kind=message`)).json;
    const { name } = (await api.call('GET', '/v3/self')).json;
    const sent = { message_id: json['id'], role: 'user', done: true };
    const created_by = { type: 'user', id: userId, name };
    expect([log['items']].flat().map((event) => Object(event).data)).toEqual([
      expect.objectContaining({ delta: 'Do it.', created_by, attachment_ids: [] }),
      { ...sent, delta: 'Look.', state: 'queued', created_by, attachment_ids: [attachment] },
      { ...sent, delta: '', state: 'withdrawn' },
    ]);
  });

  test.each(states)('to a session that is %s', async (state) => {
    const { id, path } = await sessionIn(api, state);
    const wakes = await countWakes();
    const answer = await say(path, { content: 'And another thing.' });
    const wakeCount = await wakes();
    if (after[state] === undefined) {
      expectError(answer, 409, 'session_terminal');
      expect(await statusOf(path)).toBe(state === 'canceled' ? 'canceled' : 'failed');
      return;
    }
    expect([answer.status, answer.json]).toEqual([
      202,
      {
        id: expect.stringMatching(/^msg_/),
        session_id: id,
        role: 'user',
        content: 'And another thing.',
        attachment_ids: [],
        delivery: 'steer',
        state: 'queued',
        created_by: { type: 'user', id: userId, name: 'Administrator' },
        source: null,
        created_at: expect.stringMatching(/Z$/),
        delivered_at: null,
      },
    ]);
    const session = (await api.call('GET', path)).json;
    expect(session).toMatchObject({ status: after[state], ended_at: null, error: null });
    const woken = ['waiting', 'suspended', 'completed', 'failed with a checkpoint'].includes(state);
    const kinds = (await api.call('GET', `${path}/events?first=200`)).text.match(/"kind":"\w+"/g) ?? [];
    expect(kinds.slice(woken ? -2 : -1)).toEqual(
      woken ? ['"kind":"message"', '"kind":"status"'] : ['"kind":"message"'],
    );
    // A woken session can be claimed at once; one with a worker stays with it.
    expect(wakeCount).toBe(woken ? 1 : 0);
    const run = woken || state === 'queued' ? await take(api, id) : undefined;
    if (run === undefined) await expect(take(api, id)).rejects.toThrow('not to be had');
    else {
      expect(run.losses).toBe(0);
      expect((await beginTurn(api.ctx, run, 2)).map(({ content }) => content)).toContain('And another thing.');
    }
  });

  test('is taken only by who has locked its session, so that a cancel meanwhile does not deadlock', async () => {
    const { id } = await sessionIn(api, 'queued');
    const run = await take(api, id);
    const [locked, waits] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const canceling = api.ctx.db.transaction(async (trx) => {
      await sql`select from sessions where id = ${id} for update`.execute(trx);
      locked.resolve();
      await waits.promise;
      return withdrawQueuedMessages(trx, id);
    });
    await locked.promise;
    const taking = beginTurn(api.ctx, run, 1);
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await api.ctx.db.pool.query(waiting)).rowCount).toBe(1);
    waits.resolve();
    expect(await canceling).toHaveLength(1);
    expect(await taking).toEqual([]);
  });

  test('to an archived session takes it out of the archive', async () => {
    const { path } = await sessionIn(api, 'completed');
    await api.call('POST', `${path}/archive`);
    expect((await say(path, { content: 'Go on.' })).status).toBe(202);
    expect((await api.call('GET', path)).json).toMatchObject({ status: 'queued', archived: false });
  });

  test.each([
    ['no content', {}, 400, 'content_required'],
    ['empty', { content: '' }, 400, 'content_required'],
    ['blank', { content: ' \n' }, 400, 'content_required'],
    ['too long', { content: 'x'.repeat(100_001) }, 400, 'invalid_request'],
    ['a number', { content: 1 }, 400, 'invalid_request'],
    ['an unknown delivery', { content: 'x', delivery: 'soon' }, 400, 'invalid_request'],
    ['an unknown attachment', { content: 'x', attachment_ids: ['att_none'] }, 404, 'attachment_not_found'],
    ['an unknown key', { content: 'x', text: 'y' }, 400, 'invalid_request'],
  ])('%s is refused', async (_name, body, status, error) => {
    const { path } = await sessionIn(api, 'running');
    expectError(await say(path, body), status, error);
  });

  test('the same message is said once, however often it is sent with one Idempotency-Key', async () => {
    const { path } = await sessionIn(api, 'completed');
    const options = { body: { content: 'once' }, headers: { 'idempotency-key': 'message-once' } };
    const first = await api.call('POST', `${path}/messages`, options);
    expect((await api.call('POST', `${path}/messages`, options)).json).toEqual(first.json);
    expect((await api.call('GET', `${path}/messages`)).json['total']).toBe(2);
  });
});

describe('delivery', () => {
  test('steer joins the turn under way, queue waits for the next, interrupt ends it', async () => {
    const { path, run } = await sessionIn(api, 'running');
    if (run === undefined) throw new Error('nothing runs');
    for (const delivery of ['steer', 'queue', 'steer']) await say(path, { content: delivery, delivery });
    expect((await takeMessages(api.ctx, run, 1)).map(({ content }) => content)).toEqual(['steer', 'steer']);
    const { json } = await api.call('GET', `${path}/messages`);
    const stateOf = (index: number): unknown => (Array.isArray(json['items']) ? json['items'][index].state : '');
    expect([0, 1, 2, 3].map(stateOf)).toEqual(['delivered', 'delivered', 'queued', 'delivered']);

    await say(path, { content: 'stop', delivery: 'interrupt' });
    const { rows } = await api.ctx.db.pool.query('select interrupt_requested from sessions where id = $1', [run.id]);
    expect(rows).toEqual([{ interrupt_requested: true }]);
    // If messages are queued when a turn ends, another turn takes them, oldest first.
    const end = {
      status: 'waiting',
      status_detail: 'awaiting_user',
      sandbox_state: 'paused',
      sandboxSeconds: 1,
    } as const;
    expect(await finish(api.ctx, run, end)).toBe('goes_on');
    expect((await beginTurn(api.ctx, run, 2)).map(({ content }) => content)).toEqual(['queue', 'stop']);
    expect(await finish(api.ctx, run, end)).toBe('given_back');
    expect(await statusOf(path)).toBe('waiting');
  });
});

describe('the log', () => {
  /** Returns the logged messages: id, state and text. */
  const told = async (path: string): Promise<unknown[]> => {
    const { json } = await api.call('GET', `${path}/events?first=200`);
    const events: { kind: string; turn: number; data: Record<string, unknown> }[] = Object(json['items']);
    return events.flatMap(({ kind, turn, data }) =>
      kind === 'message' ? [[data['message_id'], data['state'], data['delta'], turn]] : [],
    );
  };

  test('tells of each message when it is said, when the agent gets it, and when it is taken back', async () => {
    const { path, run } = await sessionIn(api, 'running');
    if (run === undefined) throw new Error('nothing runs');
    const [[first]] = Object(await told(path));
    const ids: unknown[] = [];
    for (const delivery of ['steer', 'queue', 'queue'])
      ids.push((await say(path, { content: delivery, delivery })).json['id']);
    const [steer, queue, withdrawn] = ids;
    await takeMessages(api.ctx, run, 1);
    await api.call('DELETE', `${path}/messages/${String(withdrawn)}`);
    await beginTurn(api.ctx, run, 2);
    expect(await told(path)).toEqual([
      [first, 'queued', 'Do it.', 0],
      [first, 'delivered', '', 1],
      [steer, 'queued', 'steer', 1],
      [queue, 'queued', 'queue', 1],
      [withdrawn, 'queued', 'queue', 1],
      [steer, 'delivered', '', 1],
      [withdrawn, 'withdrawn', '', 1],
      [queue, 'delivered', '', 2],
    ]);
  });
});

describe('withdrawing', () => {
  test.each(['canceled', 'failed'])('is what the end of a %s session does to its queued messages', async (end) => {
    const { path, run } = await sessionIn(api, 'running');
    const { json } = await say(path, { content: 'later', delivery: 'queue' });
    const data = { message_id: json['id'], role: 'user', delta: '', done: true, state: 'withdrawn' };
    if (run === undefined) throw new Error('nothing runs');
    if (end === 'canceled') await api.call('POST', `${path}/cancel`, { body: {} });
    else
      await finish(api.ctx, run, {
        status: 'failed',
        status_detail: 'agent_error',
        sandbox_state: 'none',
        sandboxSeconds: 1,
      });
    expect((await api.call('GET', path)).json['status']).toBe(end);
    const { json: list } = await api.call('GET', `${path}/messages`);
    expect(list['items']).toMatchObject([{ state: 'delivered' }, { id: json['id'], state: 'withdrawn' }]);
    const events = await api.call('GET', `${path}/events?kind=message,status`);
    expect(Object(events.json['items']).slice(-2)).toMatchObject([{ kind: 'message', data }, { kind: 'status' }]);
  });

  test('works while nobody took the message', async () => {
    const { id, path, run } = await sessionIn(api, 'running');
    const { json } = await say(path, { content: 'never mind', delivery: 'queue' });
    const message = `${path}/messages/${String(json['id'])}`;
    expect((await api.call('DELETE', message)).status).toBe(204);
    expectError(await api.call('DELETE', message), 409, 'invalid_transition');
    expectError(await api.call('DELETE', `${path}/messages/msg_none`), 404, 'message_not_found');
    expectError(await api.call('DELETE', `${path.replace(id, 'ses_none')}/messages/x`), 404, 'session_not_found');
    if (run === undefined) throw new Error('nothing runs');
    expect(await beginTurn(api.ctx, run, 2)).toEqual([]);
    const { json: list } = await api.call('GET', `${path}/messages`);
    expect(list).toMatchObject({ total: 2, items: [{ state: 'delivered' }, { state: 'withdrawn' }] });
  });

  test('of a message that a turn took is 409', async () => {
    const { json } = await api.call('POST', '/v3/organizations/default/sessions', { body: { prompt: 'x' } });
    const path = `/v3/organizations/default/sessions/${String(json['id'])}`;
    const { text } = await api.call('GET', `${path}/messages`);
    await start(api, String(json['id']));
    const id = /msg_\w+/.exec(text)?.[0] ?? '';
    expectError(await api.call('DELETE', `${path}/messages/${id}`), 409, 'invalid_transition');
    expect((await api.call('GET', `${path}/messages`)).json).toMatchObject({
      items: [{ id, state: 'delivered', delivered_at: expect.stringMatching(/Z$/) }],
    });
  });
});
