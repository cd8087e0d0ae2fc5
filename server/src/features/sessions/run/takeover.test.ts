import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { claimableSessions } from '../../../../test/support/claimable.ts';
import { sessionIn } from '../../../../test/support/session-states.ts';
import { releaseWarm, wakeWarm } from './warm-service.ts';
import { append, claim, claimNext, finish, giveUp, heartbeat, holds, release, type ClaimedRun } from './run-service.ts';
import { leaseMs } from '../store/run-store.ts';
import { recordWorker } from './worker-service.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

/** Creates a session whose worker let its lease expire some seconds ago. */
async function lapsed(): Promise<ClaimedRun> {
  const { run } = await sessionIn(api, 'running');
  if (run === undefined) throw new Error('nothing runs');
  await api.ctx.db.pool.query(`update sessions set lease_until = now() - interval '5 s' where id = $1`, [run.id]);
  return run;
}

async function secondsOf(id: string): Promise<number> {
  const { json } = await api.call('GET', `/v3/organizations/default/sessions/${id}/usage`);
  return Number(json['sandbox_seconds']);
}

/** Moves a claim back by these seconds, and the last renewal of its lease by `unheardOf` seconds. */
async function workedFor(id: string, seconds: number, unheardOf = 0): Promise<void> {
  await api.ctx.db.pool.query(
    `update sessions set working_since = now() - make_interval(secs => $2),
       lease_until = now() - make_interval(secs => $3 - ${leaseMs / 1_000}) where id = $1`,
    [id, seconds, unheardOf],
  );
}

async function heardOf(id: string): Promise<void> {
  await recordWorker(api.ctx, { id, host: 'here', slots: 1, busy: 1, draining: false, sandbox: {}, problem: '' });
}

describe('a lease that ran out', () => {
  test('is renewed by its worker as long as nobody else took the session', async () => {
    const run = await lapsed();
    expect(await holds(api.ctx, run)).toBe(true);
    expect(await heartbeat(api.ctx, [run])).toMatchObject([{ id: run.id, renewed: true }]);
    expect(await claim(api.ctx, run.id, 'worker-2')).toBeUndefined();
    await append(api.ctx, run, [{ kind: 'warning', data: { code: 'x', message: 'It goes on.' } }]);
  });

  test('goes to one: its worker, which renews it, or the one that takes the session', async () => {
    const runs = await Promise.all(Array.from({ length: 8 }, lapsed));
    await Promise.all(
      runs.map(async (run) => {
        const [renewed, taken] = await Promise.all([heartbeat(api.ctx, [run]), claim(api.ctx, run.id, 'worker-2')]);
        const isKept = await holds(api.ctx, run);
        expect(taken === undefined).toBe(isKept);
        if (taken === undefined) expect(renewed).toMatchObject([{ id: run.id }]);
        else expect(await heartbeat(api.ctx, [run])).toEqual([]);
      }),
    );
  });

  test('is left alone by a worker that may not take over, unless its run gave the session up', async () => {
    const run = await lapsed();
    const listed = () => claimableSessions(api.ctx, false);
    expect(await listed()).not.toContain(run.id);
    expect(await claim(api.ctx, run.id, 'worker-2', { takesOver: false })).toBeUndefined();
    await giveUp(api.ctx, run);
    expect(await holds(api.ctx, run)).toBe(false);
    expect(await listed()).toContain(run.id);
    expect(await claim(api.ctx, run.id, 'worker-2', { takesOver: false })).toMatchObject({
      before: 'failed',
      losses: 1,
    });
  });

  test('counts as a loss when its worker was not heard of afterwards, and only then', async () => {
    const [gone, away] = [await lapsed(), await lapsed()];
    expect(await claim(api.ctx, gone.id, 'worker-2')).toMatchObject({ before: 'gone', losses: 1 });
    await heardOf('worker-1');
    expect(await claim(api.ctx, away.id, 'worker-2')).toMatchObject({ before: 'away', losses: 0 });
  });
});

describe('a lease whose worker was found to have ended', () => {
  /** Creates a session with a valid lease; returns it with the id of its worker. */
  async function deserted(): Promise<{ run: ClaimedRun; worker: string }> {
    const { run } = await sessionIn(api, 'running');
    if (run === undefined) throw new Error('nothing runs');
    const worker = `gone-${run.id}`;
    await heardOf(worker);
    await api.ctx.db.pool.query('update sessions set lease_owner = $2 where id = $1', [run.id, worker]);
    return { run, worker };
  }

  async function markGone(worker: string): Promise<void> {
    await api.ctx.db.pool.query('update workers set gone_at = now() where id = $1', [worker]);
  }

  test('goes to any other worker at once, even to one that may not take over, and counts as a loss', async () => {
    const { run, worker } = await deserted();
    expect(await claimableSessions(api.ctx, false)).not.toContain(run.id);
    expect(await claim(api.ctx, run.id, 'worker-2')).toBeUndefined();
    await markGone(worker);
    expect(await claimableSessions(api.ctx, false)).toContain(run.id);
    const next = await claim(api.ctx, run.id, 'worker-2', { takesOver: false });
    expect(next).toMatchObject({ before: 'gone', losses: 1, fence: run.fence + 1 });
    expect(await holds(api.ctx, run)).toBe(false);
    expect(await heartbeat(api.ctx, [run])).toEqual([]);
  });

  test('stays with its worker if that is heard of before anybody took it', async () => {
    const { run, worker } = await deserted();
    await markGone(worker);
    await heardOf(worker);
    expect(await claim(api.ctx, run.id, 'worker-2')).toBeUndefined();
    expect(await heartbeat(api.ctx, [run])).toMatchObject([{ id: run.id, renewed: true }]);
  });

  test('does not hold a message back that wakes a session with a warm sandbox', async () => {
    const { run, worker } = await deserted();
    const end = {
      status: 'waiting',
      status_detail: 'awaiting_user',
      sandbox_state: 'none',
      sandboxSeconds: 1,
    } as const;
    expect(await finish(api.ctx, run, end, { keep: true })).toBe('kept');
    await markGone(worker);
    const path = `/v3/organizations/default/sessions/${run.id}`;
    expect((await api.call('POST', `${path}/messages`, { body: { content: 'And?' } })).status).toBe(202);
    expect(await claimNext(api.ctx, 'worker-2', { takesOver: false })).toMatchObject({ id: run.id });
  });

  test('counts the time in the sandbox until the last heartbeat', async () => {
    const { run, worker } = await deserted();
    await workedFor(run.id, 100, 2);
    await markGone(worker);
    expect(await claim(api.ctx, run.id, 'worker-2')).toBeDefined();
    expect(await secondsOf(run.id)).toBeCloseTo(98, 0);
  });
});

describe('the time of a session in its sandbox', () => {
  const end = { status: 'completed', status_detail: 'finished', sandbox_state: 'none', sandboxSeconds: 2 } as const;

  async function running(): Promise<ClaimedRun> {
    const { run } = await sessionIn(api, 'running');
    if (run === undefined) throw new Error('nothing runs');
    return run;
  }

  test('holds what a lost worker did until it was last heard of, and then what the next one does', async () => {
    const run = await running();
    await workedFor(run.id, 100, 40);
    const next = await claim(api.ctx, run.id, 'worker-2');
    if (next === undefined) throw new Error('nobody took it over');
    expect(await secondsOf(run.id)).toBeCloseTo(60, 0);
    await finish(api.ctx, next, end);
    expect(await secondsOf(run.id)).toBeCloseTo(62, 0);
  });

  test.each([
    ['gives it back', release],
    ['gives it up', giveUp],
  ])('holds what a worker did that %s, once', async (_, leave) => {
    const run = await running();
    await workedFor(run.id, 30);
    await leave(api.ctx, run);
    const seconds = await secondsOf(run.id);
    expect([seconds >= 30, seconds < 60]).toEqual([true, true]);
    await workedFor(run.id, 0, 20);
    await claim(api.ctx, run.id, 'worker-2');
    expect(await secondsOf(run.id)).toBe(seconds);
  });

  test('tells since when a worker works, but only while it does', async () => {
    const run = await running();
    await workedFor(run.id, 30);
    const sinceMs = async (): Promise<number> => {
      const { working_since: since } = (await api.call('GET', `/v3/organizations/default/sessions/${run.id}`)).json;
      return typeof since === 'string' ? Date.parse(since) : 0;
    };
    expect(Date.now() - (await sinceMs())).toBeGreaterThanOrEqual(30_000);
    expect(Date.now() - (await sinceMs())).toBeLessThan(60_000);
    await finish(api.ctx, run, end);
    expect(await sinceMs()).toBe(0);
  });

  test('holds what a worker did on a session that somebody cancels', async () => {
    const run = await running();
    await workedFor(run.id, 50);
    expect((await api.call('POST', `/v3/organizations/default/sessions/${run.id}/cancel`)).status).toBe(200);
    const seconds = await secondsOf(run.id);
    expect([seconds >= 50, seconds < 80]).toEqual([true, true]);
  });
});

test('a sandbox that is kept at hand is ready until its worker lets go of it or is lost', async () => {
  const { run, path } = await sessionIn(api, 'running');
  if (run === undefined) throw new Error('nothing runs');
  const stateNow = async (): Promise<unknown> => (await api.call('GET', path)).json['sandbox_state'];
  const end = { status: 'waiting', status_detail: 'awaiting_user', sandbox_state: 'none', sandboxSeconds: 1 } as const;
  expect(await finish(api.ctx, run, end, { keep: true })).toBe('kept');
  expect(await stateNow()).toBe('ready');
  await api.ctx.db.pool.query(`update sessions set lease_until = now() - interval '1 s' where id = $1`, [run.id]);
  expect(await stateNow()).toBe('none');
  await heartbeat(api.ctx, [run]);
  expect(await stateNow()).toBe('ready');
  await releaseWarm(api.ctx, run);
  expect(await stateNow()).toBe('none');
});

test('a worker that resumes a kept session at the moment of a message gets the message', async () => {
  const end = { status: 'completed', status_detail: 'finished', sandbox_state: 'none', sandboxSeconds: 1 } as const;
  const woken = async (): Promise<unknown> => {
    const { run, path } = await sessionIn(api, 'running');
    if (run === undefined) throw new Error('nothing runs');
    await finish(api.ctx, run, end, { keep: true });
    const said = api.call('POST', `${path}/messages`, { body: { content: 'And?' } });
    for (;;) {
      const session = await wakeWarm(api.ctx, run);
      if (session === undefined) continue;
      expect((await said).status).toBe(202);
      await releaseWarm(api.ctx, run);
      return typeof session === 'string' ? session : session.waiting;
    }
  };
  for (let round = 0; round < 60; round += 1) expect([round, await woken()]).toEqual([round, true]);
});
