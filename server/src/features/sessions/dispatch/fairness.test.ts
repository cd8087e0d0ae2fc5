import * as fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { queueingOrganization, queueSession, type QueueingOrganization } from '../../../../test/support/queueing.ts';
import { claimableSessions } from '../../../../test/support/claimable.ts';
import { openDatabase, type Database } from '../../../db/pool.ts';
import { releaseWarm, wakeWarm } from '../run/warm-service.ts';
import { claimNext, finish, type ClaimedRun } from '../run/run-service.ts';
import { beginTurn } from '../run/turn-service.ts';
import { setWeight } from './weight-service.ts';

let api: TestApi;
let pools: Database[];
beforeAll(async () => {
  api = await startTestApi();
  pools = Array.from({ length: 4 }, (_, n) =>
    openDatabase({ connectionString: api.connectionString, maxConnections: 8, applicationName: `pool ${n}` }),
  );
});
afterAll(async () => {
  for (const pool of pools) await pool.close();
  await api.close();
});
beforeEach(async () => {
  await api.ctx.db.pool.query('delete from sessions');
});

const organization = () => queueingOrganization(api, 'Fair');
const create = (of: QueueingOrganization) => queueSession(api, of);

async function createMany(of: QueueingOrganization, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await create(of));
  return ids;
}

async function next(pool: Database | undefined = api.ctx.db): Promise<ClaimedRun> {
  const run = await claimNext({ db: pool, clock: api.ctx.clock }, 'worker-1');
  if (run === undefined) throw new Error('nobody may begin');
  return run;
}

/** Starts sessions concurrently, as workers with one free slot do. */
async function nextAtOnce(count: number): Promise<ClaimedRun[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => next(pools[n % pools.length])));
}

async function end(
  run: ClaimedRun | undefined,
  { keep = false, status = 'completed' }: { keep?: boolean; status?: 'completed' | 'waiting' } = {},
): Promise<void> {
  if (run === undefined) throw new Error('nothing was claimed');
  await beginTurn(api.ctx, run, 1);
  const detail = status === 'completed' ? 'finished' : 'awaiting_user';
  await finish(api.ctx, run, { status, status_detail: detail, sandbox_state: 'none', sandboxSeconds: 1 }, { keep });
}

async function say({ path, key }: QueueingOrganization, id: string): Promise<void> {
  const { status } = await api.call('POST', `${path}/sessions/${id}/messages`, { key, body: { content: 'More.' } });
  expect(status).toBe(202);
}

const idsOf = (runs: ClaimedRun[]): string[] => runs.map(({ id }) => id);

describe('slots', () => {
  test('go to an organization that waits as soon as one of four ends, however many another has waiting', async () => {
    const [many, few] = [await organization(), await organization()];
    const queue = await createMany(many, 12);
    const running = await nextAtOnce(4);
    expect(idsOf(running).toSorted()).toEqual(queue.slice(0, 4).toSorted());
    const [first, second] = await createMany(few, 2);
    await end(running.shift());
    expect((await next()).id).toBe(first);
    await end(running.shift());
    expect((await next()).id).toBe(second);
    // From now on two each, in the order of their creation.
    await end(running.shift());
    expect((await next()).id).toBe(queue[4]);
  });

  test('go round where there is only one', async () => {
    const [many, few] = [await organization(), await organization()];
    const theirs = await createMany(many, 3);
    const ours = await createMany(few, 3);
    const order: string[] = [];
    for (let count = 0; count < 6; count += 1) {
      const run = await next();
      order.push(run.id);
      await end(run);
    }
    expect(order).toEqual([theirs[0], ours[0], theirs[1], ours[1], theirs[2], ours[2]]);
  });

  test('are shared exactly by workers that ask at the same moment', async () => {
    const organizations = [await organization(), await organization(), await organization()];
    const queues = await Promise.all(organizations.map((one, n) => createMany(one, 6 + 6 * n)));
    const running = idsOf(await nextAtOnce(12));
    for (const queue of queues)
      expect(running.filter((id) => queue.includes(id)).toSorted()).toEqual(queue.slice(0, 4).toSorted());
  });

  test('are shared by weight', async () => {
    const [heavy, light] = [await organization(), await organization()];
    await setWeight(api.ctx, heavy.id, '3');
    const [theirs, ours] = [await createMany(heavy, 12), await createMany(light, 12)];
    const running = idsOf(await nextAtOnce(8));
    expect(running.toSorted()).toEqual([...theirs.slice(0, 6), ...ours.slice(0, 2)].toSorted());
  });

  test('that are fewer than organizations go round by weight, and the lightest is not kept waiting', async () => {
    const [heavy, light, other] = [await organization(), await organization(), await organization()];
    await setWeight(api.ctx, heavy.id, '3');
    // What it had for itself before others came is not held against it, and saves nothing for later.
    for (const id of await createMany(heavy, 5)) {
      const run = await next();
      expect(run.id).toBe(id);
      await end(run);
    }
    for (const one of [heavy, light, other]) await createMany(one, 12);
    const order: string[] = [];
    for (let turn = 0; turn < 19; turn += 1) {
      const run = await next();
      order.push(run.orgId);
      await end(run);
    }
    // At the first turns of the others they catch up by one.
    for (let from = 4; from < 19; from += 5) {
      const round = order.slice(from, from + 5);
      expect([heavy, light, other].map(({ id }) => round.filter((orgId) => orgId === id).length)).toEqual([3, 1, 1]);
    }
  });

  test.each(['0', '101', '1.5', 'two', ''])('a weight of %j is refused', async (weight) => {
    const { id } = await organization();
    await expect(setWeight(api.ctx, id, weight)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  test('that limits keep an organization from taking go to the others', async () => {
    const [limited, other] = [await organization(), await organization()];
    const put = { key: limited.key, body: { max_concurrent: 1 } };
    expect((await api.call('PUT', `${limited.path}/settings/sessions`, put)).status).toBe(200);
    const theirs = await createMany(limited, 3);
    const ours = await createMany(other, 3);
    const runs = [await next(), await next(), await next(), await next()];
    expect(idsOf(runs)).toEqual([theirs[0], ...ours]);
    expect(await claimNext(api.ctx, 'worker-1')).toBeUndefined();
    await end(runs[0]);
    expect((await next()).id).toBe(theirs[1]);
  });

  test('are left to who comes behind a session whose row a transaction holds', async () => {
    const one = await organization();
    const [first = '', second] = await createMany(one, 2);
    // Others act meanwhile, on connections of their own.
    await api.ctx.db.kysely.transaction().execute(async (trx) => {
      await trx.selectFrom('sessions').select('id').where('id', '=', first).forUpdate().execute();
      expect((await next()).id).toBe(second);
      expect(await claimNext(api.ctx, 'worker-1')).toBeUndefined();
    });
    expect((await next()).id).toBe(first);
  });
});

describe('a session that is wanted again', () => {
  test('waits for its turn when its worker kept it and an organization with fewer waits', async () => {
    const [many, few] = [await organization(), await organization()];
    const [kept = ''] = await createMany(many, 2);
    const run = await next();
    await next();
    expect(run.id).toBe(kept);
    await end(run, { keep: true });
    const ours = await create(few);
    await say(many, kept);
    expect(await wakeWarm(api.ctx, run)).toBe('waits');
    await releaseWarm(api.ctx, run);
    expect([(await next()).id, (await next()).id]).toEqual([ours, kept]);
  });

  test('goes on with its worker when none comes first, and has a place then', async () => {
    const [one, other] = [await organization(), await organization()];
    const kept = await create(one);
    const run = await next();
    await end(run, { keep: true });
    await say(one, kept);
    expect(await wakeWarm(api.ctx, run, { hasSlot: false })).toBe('waits');
    expect(await wakeWarm(api.ctx, run)).toMatchObject({ waiting: true, session: { id: kept } });
    const [theirs] = [await create(one), await create(other)];
    expect((await next()).id).not.toBe(theirs);
  });

  test('goes on with its worker without asking whose turn it is while nobody else waits', async () => {
    const one = await organization();
    const [first = '', second = ''] = await createMany(one, 2);
    const runs = await nextAtOnce(2);
    for (const run of runs) await end(run, { keep: true });
    // Others act meanwhile, on connections of their own.
    await api.ctx.db.kysely.transaction().execute(async (trx) => {
      await sql`select pg_advisory_xact_lock(hashtextextended('session turns', 0))`.execute(trx);
      for (const id of [first, second]) await say(one, id);
      for (const run of runs) expect(await wakeWarm(api.ctx, run)).toMatchObject({ session: { id: run.id } });
      expect(await claimNext(api.ctx, 'worker-1')).toBeUndefined();
    });
  });

  test('is no further ahead because it was answered', async () => {
    const [many, few] = [await organization(), await organization()];
    const asked = await createMany(many, 3);
    for (const run of await nextAtOnce(3)) await end(run, { status: 'waiting' });
    for (const id of asked) await say(many, id);
    const ours = await createMany(few, 2);
    const begun = idsOf(await nextAtOnce(4));
    expect(begun.filter((id) => ours.includes(id))).toHaveLength(2);
    expect(await claimableSessions(api.ctx)).toHaveLength(1);
  });
});

test.each([
  { weights: [1, 1, 1], title: 'fewer' },
  { weights: [1, 2, 5], title: 'fewer by its weight' },
])(
  'no organization that waits has $title running than one that got a slot after it, whatever comes and ends',
  async ({ weights }) => {
    const organizations = [await organization(), await organization(), await organization()];
    const weightOf = new Map(organizations.map(({ id }, index) => [id, weights[index] ?? 1]));
    for (const [id, weight] of weightOf) await setWeight(api.ctx, id, String(weight));
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ does: fc.constant('comes' as const), which: fc.nat(2) }) },
      { weight: 2, arbitrary: fc.record({ does: fc.constant('ends' as const), which: fc.nat(20) }) },
      { weight: 3, arbitrary: fc.record({ does: fc.constant('begin' as const), which: fc.nat(3) }) },
    );
    const property = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      await api.ctx.db.pool.query('delete from sessions');
      const waiting = new Map<string, string[]>(organizations.map(({ id }) => [id, []]));
      const running: ClaimedRun[] = [];
      const shareOf = (orgId: string): number =>
        running.filter((run) => run.orgId === orgId).length / (weightOf.get(orgId) ?? 1);
      const someWait = (): boolean => [...waiting.values()].some((queue) => queue.length > 0);
      for (const { does, which } of steps) {
        if (does === 'comes') {
          const one = organizations[which];
          if (one !== undefined) waiting.get(one.id)?.push(await create(one));
        } else if (does === 'ends') {
          const [run] = running.splice(which % Math.max(1, running.length), 1);
          if (run !== undefined) await end(run);
        } else if (someWait()) {
          const fewest = Math.min(
            ...[...waiting].flatMap(([orgId, queue]) => (queue.length > 0 ? [shareOf(orgId)] : [])),
          );
          const run = await next(pools[which]);
          expect(shareOf(run.orgId)).toBe(fewest);
          expect(waiting.get(run.orgId)?.shift()).toBe(run.id);
          running.push(run);
        } else expect(await claimNext(api.ctx, 'worker-1')).toBeUndefined();
      }
    });
    await fc.assert(property, { numRuns: 15 });
  },
  60_000,
);
