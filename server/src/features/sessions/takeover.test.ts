import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { sessionIn } from '../../../test/support/session-states.ts';
import { append, claim, claimableSessions, giveUp, heartbeat, holds, type ClaimedRun } from './run-service.ts';
import { workerSeen } from './worker-service.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

/** A session whose worker let its lease run out some seconds ago. */
async function lapsed(): Promise<ClaimedRun> {
  const { run } = await sessionIn(api, 'running');
  if (run === undefined) throw new Error('nothing runs');
  await api.ctx.db.pool.query(`update sessions set lease_until = now() - interval '5 s' where id = $1`, [run.id]);
  return run;
}

async function heardOf(id: string): Promise<void> {
  await workerSeen(api.ctx, { id, host: 'here', slots: 1, busy: 1, draining: false, sandbox: {}, problem: '' });
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
    const listed = () => claimableSessions(api.ctx, 1_000, false);
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
