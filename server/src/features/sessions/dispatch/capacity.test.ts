import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { claimableSessions } from '../../../../test/support/claimable.ts';
import { join, personalKey } from '../../../../test/support/members.ts';
import { openDatabase, type Database } from '../../../db/pool.ts';
import { wakeWarm } from '../run/warm-service.ts';
import { claim, finish, LeaseLost, release, type ClaimedRun } from '../run/run-service.ts';
import { beginTurn } from '../run/turn-service.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

interface Organization {
  id: string;
  path: string;
  key: string;
}

async function organization(settings: object): Promise<Organization> {
  const { id, slug, key } = await api.createOrganization('Capacity');
  const made = { id, path: `/v3/organizations/${slug}`, key };
  await put(made, settings);
  return made;
}

async function put({ path, key }: Organization, body: object): Promise<void> {
  expect((await api.call('PUT', `${path}/settings/sessions`, { key, body })).status).toBe(200);
}

async function create({ path, key }: Organization, by = key): Promise<string> {
  const { status, json } = await api.call('POST', `${path}/sessions`, { key: by, body: { prompt: 'Do it.' } });
  expect(status).toBe(201);
  return String(json['id']);
}

async function stateOf({ path, key }: Organization, id: string): Promise<string> {
  const { json } = await api.call('GET', `${path}/sessions/${id}`, { key });
  return `${String(json['status'])}/${String(json['status_detail'])}`;
}

async function statesIn({ path, key }: Organization, id: string): Promise<unknown[]> {
  const { json } = await api.call('GET', `${path}/sessions/${id}/events`, { key });
  const items: unknown[] = Array.isArray(json['items']) ? json['items'] : [];
  return items.flatMap((item) => {
    const { kind, data } = Object(item);
    return kind === 'status' ? [`${String(Object(data).status)}/${String(Object(data).status_detail)}`] : [];
  });
}

async function found(ids: string[]): Promise<string[]> {
  const all = new Set(await claimableSessions(api.ctx));
  return ids.filter((id) => all.has(id));
}

async function claimAll(ids: string[]): Promise<ClaimedRun[]> {
  const runs: ClaimedRun[] = [];
  for (const id of ids) {
    const run = await claim(api.ctx, id, 'worker-1');
    if (run !== undefined) runs.push(run);
  }
  return runs;
}

async function end(
  run: ClaimedRun | undefined,
  { keep = false, status = 'completed' }: { keep?: boolean; status?: 'completed' | 'waiting' } = {},
) {
  if (run === undefined) throw new Error('nothing was claimed');
  await beginTurn(api.ctx, run, 1);
  const detail = status === 'completed' ? 'finished' : 'awaiting_user';
  await finish(api.ctx, run, { status, status_detail: detail, sandbox_state: 'none', sandboxSeconds: 1 }, { keep });
}

describe('sessions at once', () => {
  test('are as many as the organization says, over four pools, and the next begins as one ends', async () => {
    const org = await organization({ max_concurrent: 5 });
    const sessions = await Promise.all(Array.from({ length: 24 }, () => create(org)));
    const pools: Database[] = Array.from({ length: 4 }, (_, n) =>
      openDatabase({ connectionString: api.connectionString, maxConnections: 8, applicationName: `pool ${n}` }),
    );
    const claims = sessions.flatMap((id) =>
      pools.map((db, n) => claim({ db, clock: api.ctx.clock }, id, `worker-${n}`)),
    );
    const running = (await Promise.all(claims)).filter((run) => run !== undefined);
    expect(running).toHaveLength(5);
    const rest = sessions.filter((id) => !running.some((run) => run.id === id));
    expect(await claimAll(rest)).toEqual([]);
    expect(new Set(await Promise.all(rest.map((id) => stateOf(org, id))))).toEqual(new Set(['queued/capacity']));
    expect(await found(rest)).toEqual([]);
    let ended = 0;
    for (let waiting = rest; waiting.length > 0;) {
      await end(running.shift());
      ended += 1;
      // All try at once; one succeeds.
      const heads = await found(waiting);
      const taken = (
        await Promise.all(pools.flatMap((db) => heads.map((id) => claim({ db, clock: api.ctx.clock }, id, 'worker'))))
      ).filter((run) => run !== undefined);
      expect([ended, taken.length]).toEqual([ended, 1]);
      running.push(...taken);
      waiting = waiting.filter((id) => !taken.some((run) => run.id === id));
    }
    for (const pool of pools) await pool.close();
  }, 60_000);

  test('count from the claim to the end of the turn, also over a lost worker and a drain', async () => {
    const org = await organization({ max_concurrent: 1 });
    const [first, second] = [await create(org), await create(org)];
    const [run] = await claimAll([first, second]);
    expect(await statesIn(org, second)).toEqual(['queued/', 'queued/capacity']);
    if (run === undefined) throw new Error('nothing was claimed');
    await release(api.ctx, run);
    expect(await claimAll([second])).toEqual([]);
    const [next] = await claimAll(await found([first, second]));
    expect(next?.id).toBe(first);
    await api.ctx.db.pool.query(`update sessions set lease_until = now() - interval '1 s' where id = $1`, [first]);
    expect((await claimAll(await found([first, second])))[0]?.id).toBe(first);
    await api.call('POST', `${org.path}/sessions/${first}/cancel`, { key: org.key });
    expect((await claimAll(await found([first, second])))[0]?.id).toBe(second);
    expect(await stateOf(org, second)).toBe('queued/capacity');
    await api.call('DELETE', `${org.path}/sessions/${second}?force=true`, { key: org.key });
    expect(await claimAll([await create(org)])).toHaveLength(1);
  });

  test('one that was kept and is wanted again waits for its place as well', async () => {
    const org = await organization({ max_concurrent: 1 });
    const kept = await create(org);
    const [run] = await claimAll([kept]);
    await end(run, { keep: true });
    const other = await create(org);
    const [busy] = await claimAll([other]);
    expect(busy?.id).toBe(other);
    await api.call('POST', `${org.path}/sessions/${kept}/messages`, { key: org.key, body: { content: 'More.' } });
    if (run === undefined) throw new Error('nothing was claimed');
    await expect(wakeWarm(api.ctx, run)).rejects.toThrow(LeaseLost);
    expect(await statesIn(org, kept)).toEqual(['queued/', 'completed/finished', 'queued/', 'queued/capacity']);
    expect(await found([kept])).toEqual([]);
    await end(busy);
    expect((await claimAll(await found([kept])))[0]?.losses).toBe(0);
  });

  test('one that was answered while others run waits too, and goes on in its turn', async () => {
    const org = await organization({ max_concurrent: 1 });
    const asked = await create(org);
    const [run] = await claimAll([asked]);
    await end(run, { status: 'waiting' });
    const [busy] = await claimAll([await create(org)]);
    await api.call('POST', `${org.path}/sessions/${asked}/messages`, { key: org.key, body: { content: 'Yes.' } });
    expect(await claimAll(await found([asked]))).toEqual([]);
    expect(await stateOf(org, asked)).toBe('queued/capacity');
    await end(busy);
    expect((await claimAll(await found([asked])))[0]?.losses).toBe(0);
  });

  test('of a member whose role is regular are as many as the lower limit says, each for themselves', async () => {
    const org = await organization({ max_concurrent: 4, max_concurrent_regular: 1 });
    const keyOf = async (): Promise<{ id: string; key: string }> => {
      const id = await join(api, org.id, 'member');
      return { id, key: await personalKey(api, org.id, id) };
    };
    const [ada, bob, pro] = [await keyOf(), await keyOf(), await keyOf()];
    const assign = (id: string, role: string) =>
      api.call('PUT', `${org.path}/roles`, { key: org.key, body: { user_id: id, role } });
    await assign(pro.id, 'pro');
    const hers = [await create(org, ada.key), await create(org, ada.key)];
    expect(await claimAll(hers)).toHaveLength(1);
    expect(await claimAll([await create(org, bob.key)])).toHaveLength(1);
    expect(await claimAll([await create(org, pro.key), await create(org, pro.key)])).toHaveLength(2);
    expect(await stateOf(org, hers[1] ?? '')).toBe('queued/capacity');
    // As a pro she counts only against the organization's four slots, which are taken.
    await assign(ada.id, 'pro');
    expect(await found(hers)).toEqual(hers.slice(1));
    expect(await claimAll(hers.slice(1))).toEqual([]);
    await put(org, { max_concurrent: 5, max_concurrent_regular: 1 });
    expect(await claimAll(await found(hers))).toHaveLength(1);
  });

  test('are not limited by 0, and limits that go let everybody begin', async () => {
    const org = await organization({ max_concurrent: 1, max_concurrent_regular: 0 });
    const sessions = [await create(org), await create(org), await create(org)];
    expect(await claimAll(sessions)).toHaveLength(1);
    expect(await found(sessions)).toEqual([]);
    await api.call('DELETE', `${org.path}/settings/sessions`, { key: org.key });
    expect(await claimAll(await found(sessions))).toHaveLength(2);
  });
});
