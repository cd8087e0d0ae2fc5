import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { claimableSessions } from '../../../../test/support/claimable.ts';
import { sessionIn, states, take, type State } from '../../../../test/support/session-states.ts';
import { append, changeStatus, claim, finish, heartbeat, holds, LeaseLost, loadRun } from '../run/run-service.ts';
import { beginTurn } from '../run/turn-service.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

type Action = 'interrupt' | 'suspend' | 'resume' | 'cancel' | 'archive' | 'unarchive';

/** The states in which an action is allowed; in all others it is 409 `invalid_transition`. */
const allowed: Record<Action, readonly State[]> = {
  interrupt: ['running', 'waiting'],
  suspend: ['running', 'waiting', 'suspended'],
  resume: ['queued', 'provisioning', 'running', 'suspended', 'completed', 'failed with a checkpoint'],
  cancel: ['queued', 'provisioning', 'running', 'waiting', 'suspended', 'canceled'],
  archive: ['completed', 'failed', 'failed with a checkpoint', 'canceled'],
  unarchive: states,
};
const table = Object.entries(allowed).flatMap(([action, from]) =>
  states.map((state) => ({ action, state, expected: from.includes(state) ? 200 : 409 })),
);

function statusAfter(action: string, before: string): string {
  if (action === 'cancel') return 'canceled';
  // A running session is suspended by its worker.
  if (action === 'suspend' && before === 'waiting') return 'suspended';
  if (action === 'resume' && ['suspended', 'completed', 'failed'].includes(before)) return 'queued';
  return before;
}

describe('transitions', () => {
  test.each(table)('$action of one that is $state: $expected', async ({ action, state, expected }) => {
    const { path } = await sessionIn(api, state);
    const before = (await api.call('GET', path)).json;
    const { status, json } = await api.call('POST', `${path}/${action}`);
    expect(status).toBe(expected);
    const after = (await api.call('GET', path)).json;
    if (expected === 409) {
      const terminal = action === 'resume' && state === 'failed';
      expect(json['error']).toBe(terminal ? 'session_terminal' : 'invalid_transition');
      expect(json['message']).toContain(String(before['status']));
      if (action === 'resume') expect(json['message']).toMatch(/Fork it|Send it a message|start another one/);
      expect(after).toEqual(before);
      return;
    }
    // The response is the whole session with its new state.
    expect(json).toEqual(after);
    expect(after['archived']).toBe(action === 'archive');
    expect(after['status']).toBe(statusAfter(action, String(before['status'])));
  });

  test.each([
    ['interrupt', 'waiting', 'awaiting_user'],
    ['suspend', 'suspended', 'user_request'],
  ] as const)(
    '%s of one that works answers when its worker did it, and again so',
    async (action, status, status_detail) => {
      const { path, run } = await sessionIn(api, 'running');
      if (run === undefined) throw new Error('nothing runs');
      const ask = () => api.call('POST', `${path}/${action}`, { headers: { 'idempotency-key': `${action}-once` } });
      const answer = ask();
      await expect.poll(async () => (await heartbeat(api.ctx, [run]))[0]?.[`${action}_requested`]).toBe(true);
      await finish(api.ctx, run, { status, status_detail, sandbox_state: 'none', sandboxSeconds: 1 });
      const { json } = await answer;
      expect(json).toMatchObject({ status, status_detail });
      expect((await ask()).json).toEqual(json);
    },
  );

  test('what holds already answers 200 and leaves no second trace', async () => {
    const { id, path } = await sessionIn(api, 'waiting');
    for (const action of ['interrupt', 'cancel', 'cancel', 'archive', 'archive', 'unarchive', 'unarchive'])
      expect((await api.call('POST', `${path}/${action}`)).status).toBe(200);
    const { rows } = await api.ctx.db.pool.query(
      `select action, count(*) as times from audit_entries where resource_id = $1 group by action order by action`,
      [id],
    );
    const acts = ['archive', 'cancel', 'create', 'unarchive'].map((verb) => ({ action: `session.${verb}`, times: 1 }));
    expect(rows).toEqual(acts);
  });

  test.each(Object.keys(allowed))('%s of a missing one is 404', async (action) => {
    const answer = await api.call('POST', `/v3/organizations/default/sessions/ses_none/${action}`);
    expect([answer.status, answer.json['error']]).toEqual([404, 'session_not_found']);
  });
});

describe('a run', () => {
  const status = { status: 'running', status_detail: 'working', sandbox_state: 'ready' } as const;
  const end = { status: 'completed', status_detail: 'finished', sandbox_state: 'none', sandboxSeconds: 1 } as const;
  const output = { kind: 'output', data: { command_id: 'c', call_id: '', stream: 'stdout', text: 'x' } } as const;

  test('is told by its heartbeat what people ask of it, and what its budget is', async () => {
    const { path, run } = await sessionIn(api, 'running');
    if (run === undefined) throw new Error('nothing runs');
    const nothing = {
      id: run.id,
      fence: run.fence,
      status: 'running',
      interrupt_requested: false,
      suspend_requested: false,
      max_minutes: null,
      renewed: true,
    };
    expect(await heartbeat(api.ctx, [run])).toEqual([nothing]);
    await api.call('POST', `${path}/interrupt`);
    expect(await heartbeat(api.ctx, [run])).toEqual([{ ...nothing, interrupt_requested: true }]);
    await api.call('POST', `${path}/suspend`);
    await api.call('PATCH', path, { body: { budget: { max_minutes: 1.5 } } });
    const asked = { ...nothing, interrupt_requested: true, suspend_requested: true, max_minutes: 1.5 };
    expect(await heartbeat(api.ctx, [run])).toEqual([asked]);
  });

  test('that holds its row in a transaction keeps no heartbeat waiting, and no worker that looks for work', async () => {
    const [held, other] = [(await sessionIn(api, 'running')).run, (await sessionIn(api, 'running')).run];
    if (held === undefined || other === undefined) throw new Error('nothing runs');
    await api.ctx.db.pool.query(`update sessions set lease_until = now() - interval '1 s' where id = $1`, [held.id]);
    // Others act meanwhile, on connections of their own.
    await api.ctx.db.kysely.transaction().execute(async (trx) => {
      await trx.updateTable('sessions').set({ losses: 0 }).where('id', '=', held.id).execute();
      expect(await claim(api.ctx, held.id, 'worker-2')).toBeUndefined();
      const beats = await heartbeat(api.ctx, [held, other]);
      expect(new Map(beats.map(({ id, renewed }) => [id, renewed]))).toEqual(
        new Map([
          [held.id, false],
          [other.id, true],
        ]),
      );
    });
    expect(await claim(api.ctx, held.id, 'worker-2')).toMatchObject({ fence: held.fence + 1 });
  });

  test.each([
    ['canceled', (path: string) => api.call('POST', `${path}/cancel`)],
    ['deleted', (path: string) => api.call('DELETE', `${path}?force=true`)],
    [
      'claimed by another worker after its lease ran out',
      async (path: string) => {
        const id = path.slice(path.lastIndexOf('/') + 1);
        await api.ctx.db.pool.query(`update sessions set lease_until = now() - interval '1 second' where id = $1`, [
          id,
        ]);
        expect((await take(api, id, 'worker-2')).losses).toBe(1);
      },
    ],
  ])('writes nothing more once its session is %s', async (_name, lose) => {
    const { id, path, run } = await sessionIn(api, 'running');
    if (run === undefined) throw new Error('nothing runs');
    await lose(path);
    const before = await api.ctx.db.pool.query('select row_to_json(s)::text from sessions s where id = $1', [id]);
    const count = async () =>
      (await api.ctx.db.pool.query('select seq from session_events where session_id = $1', [id])).rowCount;
    const events = await count();
    await expect(append(api.ctx, run, [output])).rejects.toThrow(LeaseLost);
    await expect(changeStatus(api.ctx, run, status)).rejects.toThrow(LeaseLost);
    await expect(beginTurn(api.ctx, run, 2)).rejects.toThrow(LeaseLost);
    await expect(finish(api.ctx, run, end)).rejects.toThrow(LeaseLost);
    await expect(loadRun(api.ctx, run)).rejects.toThrow(LeaseLost);
    expect([await holds(api.ctx, run), await heartbeat(api.ctx, [run])]).toEqual([false, []]);
    expect(await count()).toBe(events);
    const after = await api.ctx.db.pool.query('select row_to_json(s)::text from sessions s where id = $1', [id]);
    expect(after.rows).toEqual(before.rows);
  });

  test('is claimed once, however many workers want it, and again only when its lease ran out', async () => {
    const { id } = await sessionIn(api, 'queued');
    const claims = await Promise.all(Array.from({ length: 8 }, (_, index) => claim(api.ctx, id, `worker-${index}`)));
    expect(claims.filter((run) => run !== undefined)).toHaveLength(1);
    expect(await claimableSessions(api.ctx)).not.toContain(id);
    await api.ctx.db.pool.query(`update sessions set lease_until = now() - interval '1 second' where id = $1`, [id]);
    expect(await claimableSessions(api.ctx)).toContain(id);
    expect(await claim(api.ctx, id, 'another')).toMatchObject({ fence: 2, losses: 1 });
  });

  test('is not over while a message waits', async () => {
    const { path, run } = await sessionIn(api, 'running');
    if (run === undefined) throw new Error('nothing runs');
    await api.call('POST', `${path}/messages`, { body: { content: 'wait' } });
    expect(await finish(api.ctx, run, end)).toBe('goes_on');
    expect((await api.call('GET', path)).json['status']).toBe('running');
    await beginTurn(api.ctx, run, 2);
    expect(await finish(api.ctx, run, end)).toBe('given_back');
    expect((await api.call('GET', path)).json).toMatchObject({
      status: 'completed',
      status_detail: 'finished',
      ended_at: expect.stringMatching(/Z$/),
    });
  });
});
