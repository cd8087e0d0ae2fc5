import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { claimableSessions } from '../../../test/support/claimable.ts';
import { withinOneDay } from '../../../test/support/day.ts';
import { newGroup, newPerson, newSession, usageOf as readUsage, type Person } from '../../../test/support/groups.ts';
import type { Context } from '../../app/context.ts';
import { newId } from '../../lib/ids.ts';
import { openDatabase, type Database } from '../../db/pool.ts';
import { claim, finish, type ClaimedRun } from '../sessions/run/run-service.ts';
import { beginTurn } from '../sessions/run/turn-service.ts';

const organization = '/v3/organizations/default';

let api: TestApi;
let orgId: string;
beforeAll(async () => {
  api = await startTestApi();
  orgId = String(Object((await api.call('GET', '/v3/self')).json['organization']).id);
});
beforeEach(() => withinOneDay());
afterAll(() => api.close());

const person = (): Promise<Person> => newPerson(api);
const group = (people: Person[], limits: object): Promise<string> => newGroup(api, people, limits);
const create = (by: Person): Promise<string> => newSession(api, by);
const usageOf = (id: string, date = '') => readUsage(api, id, date);

function submit(by: Person): Promise<Answer> {
  return api.call('POST', `${organization}/sessions`, { key: by.key, body: { prompt: 'Do it.' } });
}

/** Creates many sessions at once, as copies of the first one's row. */
async function createMany(by: Person[], count: number): Promise<string[]> {
  const [first = '', ...more] = await Promise.all(by.map(create));
  const ids = Array.from({ length: count - by.length }, () => newId('ses'));
  const people = ids.map((_, n) => by[n % by.length]?.id);
  await api.ctx.db.pool.query(
    `insert into sessions (id, org_id, prompt, agent_id, agent_version, created_by_type, created_by_id, person_id)
     select asked.id, org_id, prompt, agent_id, agent_version, created_by_type, person, person
     from sessions s, unnest($2::text[], $3::text[]) as asked (id, person) where s.id = $1`,
    [first, ids, people],
  );
  return [first, ...more, ...ids];
}

async function stateOf(id: string): Promise<string> {
  const { json } = await api.call('GET', `${organization}/sessions/${id}`);
  return `${String(json['status'])}/${String(json['status_detail'])}`;
}

const finished = { status: 'completed', status_detail: 'finished', sandbox_state: 'none', sandboxSeconds: 6 } as const;

/** Ends the turn of a run as a worker does that took every queued message. */
async function end(run: ClaimedRun): Promise<void> {
  await beginTurn(api.ctx, run, 1);
  await finish(api.ctx, run, finished);
}

type Clocked = Pick<Context, 'db' | 'clock'>;
function at(instant: string): Clocked {
  return { db: api.ctx.db, clock: { now: () => new Date(instant) } };
}

/** Returns those of these sessions that a worker would find, oldest first. */
async function found(ids: string[], ctx: Clocked = api.ctx): Promise<string[]> {
  const all = new Set(await claimableSessions(ctx));
  return ids.filter((id) => all.has(id));
}

async function claimAll(ids: string[], ctx: Clocked = api.ctx): Promise<ClaimedRun[]> {
  const runs: ClaimedRun[] = [];
  for (const id of ids) {
    const run = await claim(ctx, id, 'worker-1');
    if (run !== undefined) runs.push(run);
  }
  return runs;
}

describe('a limit of sessions', () => {
  test('64 sessions against 10 start exactly 10, over four pools, twenty times', async () => {
    const pools: Database[] = Array.from({ length: 4 }, (_, n) =>
      openDatabase({ connectionString: api.connectionString, maxConnections: 8, applicationName: `pool ${n}` }),
    );
    for (let round = 0; round < 20; round += 1) {
      await withinOneDay();
      const people = [await person(), await person(), await person()];
      const id = await group(people, { per_day: { sessions: 10 }, on_exceed: 'queue' });
      const sessions = await createMany(people, 64);
      const runs = await Promise.all(
        sessions.flatMap((session) =>
          pools.map((db, n) => claim({ db, clock: api.ctx.clock }, session, `worker-${n}`)),
        ),
      );
      const started = runs.filter((run) => run !== undefined);
      expect([round, started.length, new Set(started.map((run) => run.id)).size]).toEqual([round, 10, 10]);
      expect(await usageOf(id)).toMatchObject({ used: { sessions: 0 }, reserved: { sessions: 10 } });
      const waiting = sessions.filter((session) => !started.some((run) => run.id === session));
      // A claim skips a locked row; the next one puts the session into the queue.
      for (const session of waiting) expect(await claim(api.ctx, session, 'worker-9')).toBeUndefined();
      const { rows } = await api.ctx.db.pool.query(
        'select distinct status, status_detail from sessions where id = any($1)',
        [waiting],
      );
      expect(rows).toEqual([{ status: 'queued', status_detail: 'group_limit' }]);
      expect(await found(waiting)).toEqual([]);
      for (const run of started) await end(run);
      expect(await usageOf(id)).toMatchObject({
        used: { sessions: 10, sandbox_minutes: 1 },
        reserved: { sessions: 0, sandbox_minutes: 0 },
      });
    }
    for (const pool of pools) await pool.close();
  }, 300_000);

  test('a larger limit lets as many more begin, the oldest first', async () => {
    const ada = await person();
    const id = await group([ada], { per_day: { sessions: 1 }, on_exceed: 'queue' });
    const sessions = [await create(ada), await create(ada), await create(ada), await create(ada)];
    expect((await claimAll(sessions)).map((run) => run.id)).toEqual(sessions.slice(0, 1));
    expect(await found(sessions)).toEqual([]);
    await api.call('PATCH', `${organization}/groups/${id}`, { body: { limits: { per_day: { sessions: 3 } } } });
    expect(await found(sessions)).toEqual(sessions.slice(1));
    // A new session does not overtake waiting ones.
    const late = await create(ada);
    expect(await claimAll([late])).toEqual([]);
    expect(await stateOf(late)).toBe('queued/group_limit');
    expect((await claimAll(await found(sessions))).map((run) => run.id)).toEqual(sessions.slice(1, 3));
    expect(await found([...sessions, late])).toEqual([]);
    await api.call('DELETE', `${organization}/groups/${id}`);
    expect(await found([...sessions, late])).toEqual([...sessions.slice(3), late]);
    expect(await claimAll([...sessions.slice(3), late])).toHaveLength(2);
  });

  test('the next local midnight lets the rest begin, and each day counts for itself', async () => {
    const ada = await person();
    const id = await group([ada], { per_day: { sessions: 2 }, timezone: 'Europe/Berlin', on_exceed: 'queue' });
    const sessions = [await create(ada), await create(ada), await create(ada), await create(ada), await create(ada)];
    // When daylight saving time starts, the day has 23 hours, from 23:00Z to 22:00Z.
    const evening = at('2099-03-29T21:59:00.000Z');
    expect(await claimAll(sessions, evening)).toHaveLength(2);
    expect(await found(sessions, evening)).toEqual([]);
    expect(await found(sessions, at('2099-03-29T21:59:59.999Z'))).toEqual([]);
    const midnight = at('2099-03-29T22:00:00.000Z');
    expect(await found(sessions, midnight)).toEqual(sessions.slice(2));
    expect((await claimAll(sessions.slice(2), midnight)).map((run) => run.id)).toEqual(sessions.slice(2, 4));
    expect(await found(sessions, midnight)).toEqual([]);
    expect(await usageOf(id, '2099-03-29')).toMatchObject({ reserved: { sessions: 2 } });
    expect(await usageOf(id, '2099-03-30')).toMatchObject({ reserved: { sessions: 2 } });
  });

  test('a session counts once on a day, whatever becomes of it, and again on another day', async () => {
    const ada = await person();
    const id = await group([ada], { per_day: { sessions: 5 }, on_exceed: 'queue' });
    const [first, second, third] = [await create(ada), await create(ada), await create(ada)];
    const [one] = await claimAll([first, second, third]);
    if (one === undefined) throw new Error('nothing was claimed');
    await end(one);
    await api.call('POST', `${organization}/sessions/${second}/cancel`);
    await api.call('DELETE', `${organization}/sessions/${third}?force=true`);
    expect(await usageOf(id)).toMatchObject({ used: { sessions: 3 }, reserved: { sessions: 0 } });
    await api.call('POST', `${organization}/sessions/${first}/messages`, { key: ada.key, body: { content: 'More.' } });
    const [again] = await claimAll([first]);
    if (again === undefined) throw new Error('nothing was claimed');
    expect(await usageOf(id)).toMatchObject({ used: { sessions: 2 }, reserved: { sessions: 1 } });
    await end(again);
    expect(await usageOf(id)).toMatchObject({ used: { sessions: 3 }, reserved: { sessions: 0 } });
    await api.call('POST', `${organization}/sessions/${first}/messages`, { key: ada.key, body: { content: 'More.' } });
    expect(await claimAll([first], at('2099-01-01T12:00:00.000Z'))).toHaveLength(1);
    expect(await usageOf(id, '2099-01-01')).toMatchObject({ used: { sessions: 0 }, reserved: { sessions: 1 } });
  });

  test('a worker that is lost keeps its place for the one that takes over', async () => {
    const ada = await person();
    const id = await group([ada], { per_day: { sessions: 1 }, on_exceed: 'queue' });
    const session = await create(ada);
    expect(await claimAll([session])).toHaveLength(1);
    await api.ctx.db.pool.query(`update sessions set lease_until = now() - interval '1 s' where id = $1`, [session]);
    const [run] = await claimAll(await found([session]));
    expect(run?.losses).toBe(1);
    expect(await usageOf(id)).toMatchObject({ used: { sessions: 0 }, reserved: { sessions: 1 } });
    await api.call('POST', `${organization}/sessions/${session}/cancel`);
    expect(await usageOf(id)).toMatchObject({ used: { sessions: 1 }, reserved: { sessions: 0 } });
  });

  test('counts what a lost worker did until it was last heard of', async () => {
    const ada = await person();
    const id = await group([ada], { per_day: { sandbox_minutes: 60 }, on_exceed: 'queue' });
    const session = await create(ada);
    await claim(api.ctx, session, 'worker-1');
    await api.ctx.db.pool.query(
      `update sessions set working_since = now() - interval '9 minutes', lease_until = now() - interval '2 minutes' where id = $1`,
      [session],
    );
    const run = await claim(api.ctx, session, 'worker-2');
    if (run === undefined) throw new Error('nobody took it over');
    await end(run);
    // Seven minutes minus the ten seconds of its lease, plus the six seconds of the second worker.
    const { used } = Object(await usageOf(id));
    expect(Object(used).sandbox_minutes).toBeCloseTo((7 * 60 - 10 + 6) / 60, 3);
  });

  test('the tightest of several groups holds, and nothing is held in the others', async () => {
    const [ada, bob] = [await person(), await person()];
    const wide = await group([ada, bob], { per_day: { sessions: 4 }, on_exceed: 'queue' });
    const narrow = await group([ada], { per_day: { sessions: 1 }, on_exceed: 'queue' });
    const hers = [await create(ada), await create(ada)];
    const his = [await create(bob), await create(bob)];
    expect(await claimAll([...hers, ...his])).toHaveLength(3);
    expect(await usageOf(wide)).toMatchObject({ reserved: { sessions: 3 } });
    expect(await usageOf(narrow)).toMatchObject({ reserved: { sessions: 1 } });
    expect(await stateOf(hers[1] ?? '')).toBe('queued/group_limit');
  });

  test('a session that waits does not keep a worker from finding others', async () => {
    const [ada, bob] = [await person(), await person()];
    await group([ada], { per_day: { sessions: 0 }, on_exceed: 'queue' });
    const waiting = await Promise.all(Array.from({ length: 30 }, () => create(ada)));
    expect(await claimAll(waiting)).toEqual([]);
    const other = await create(bob);
    expect(await found([...waiting, other])).toEqual([other]);
  });

  test('machines count for nobody, and children for the person at the root', async () => {
    const ada = await person();
    const id = await group([ada], { per_day: { sessions: 2 }, on_exceed: 'queue' });
    const machine = { id: '', key: await api.keyWith(['run', 'sessions:read']) };
    const [own] = await claimAll([await create(ada), await create(machine)]);
    expect(await usageOf(id)).toMatchObject({ reserved: { sessions: 1 } });
    const child = await childOf(String(own?.id));
    const grandchild = await childOf(child);
    expect(await claimAll([child, grandchild])).toHaveLength(1);
    expect(await stateOf(grandchild)).toBe('queued/group_limit');
  });
});

/** Creates a child session with the key of its parent's sandbox. */
async function childOf(parent: string): Promise<string> {
  const { issueKey, ownerOf } = await import('../keys/service.ts');
  const owner = ownerOf(orgId, 'session', parent);
  const { key } = await issueKey(api.ctx.db.kysely, { owner, name: 'sandbox', scopes: ['run'], now: new Date() });
  return create({ id: parent, key });
}

describe('a group that blocks', () => {
  test('refuses a new session at once, and of 64 at once all but 10', async () => {
    const [ada, bob] = [await person(), await person()];
    const id = await group([ada, bob], { per_day: { sessions: 10 } });
    const answers = await Promise.all(Array.from({ length: 64 }, (_, n) => submit(n % 2 === 0 ? ada : bob)));
    const refused = answers.filter(({ status }) => status === 402);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(refused).toHaveLength(54);
    expect(refused[0]?.json).toMatchObject({
      error: 'budget_exceeded',
      message: expect.stringContaining('10 of 10 sessions'),
      details: { group_id: id, limit: 'sessions', used: 10, allowed: 10 },
    });
    const sessions = answers.flatMap(({ status, json }) => (status === 201 ? [String(json['id'])] : []));
    expect(await claimAll(sessions)).toHaveLength(10);
    expect((await submit(ada)).status).toBe(402);
    await api.call('PATCH', `${organization}/groups/${id}`, { body: { limits: { per_day: { sessions: 11 } } } });
    expect((await submit(ada)).status).toBe(201);
    expect((await submit(bob)).status).toBe(402);
  });

  test('lets nobody go on with a session while its day is used up', async () => {
    const ada = await person();
    const id = await group([ada], { per_day: { tokens: 1_000, sessions: 1 } });
    const session = await create(ada);
    const [run] = await claimAll([session]);
    if (run === undefined) throw new Error('nothing was claimed');
    await end(run);
    const at_ = `${organization}/sessions/${session}`;
    const say = () => api.call('POST', `${at_}/messages`, { key: ada.key, body: { content: 'More.' } });
    // It already counts, so it has the only slot.
    expect((await say()).status).toBe(202);
    const [again] = await claimAll([session]);
    if (again === undefined) throw new Error('nothing was claimed');
    await end(again);
    await api.ctx.db.pool.query('update group_days set tokens = 1000 where group_id = $1', [id]);
    const refused = await say();
    expect([refused.status, refused.json['error']]).toEqual([402, 'budget_exceeded']);
    expect(refused.json['message']).toContain('1000 of 1000 tokens');
    const resumed = await api.call('POST', `${at_}/resume`, { key: ada.key });
    expect([resumed.status, resumed.json['error']]).toEqual([402, 'budget_exceeded']);
    expect(await stateOf(session)).toBe('completed/finished');
    await api.ctx.db.pool.query('update group_days set tokens = 999 where group_id = $1', [id]);
    expect((await api.call('POST', `${at_}/resume`, { key: ada.key })).status).toBe(200);
  });

  test('ends what meets its limit only when it is dispatched, and says why', async () => {
    const ada = await person();
    const id = await group([ada], { per_day: { sessions: 2 } });
    const sessions = [await create(ada), await create(ada)];
    await api.call('PATCH', `${organization}/groups/${id}`, { body: { limits: { per_day: { sessions: 1 } } } });
    expect(await claimAll(sessions)).toHaveLength(1);
    const { json } = await api.call('GET', `${organization}/sessions/${sessions[1] ?? ''}`);
    expect(json).toMatchObject({
      status: 'failed',
      status_detail: 'budget_reached',
      error: { code: 'budget_exceeded', message: expect.stringContaining('1 of 1 sessions') },
      ended_at: expect.any(String),
    });
    const events = await api.call('GET', `${organization}/sessions/${sessions[1] ?? ''}/events`);
    const items: unknown[] = Object(events.json['items']);
    expect(items.slice(-2)).toMatchObject([
      { kind: 'error', data: { code: 'budget_exceeded' } },
      { kind: 'status', data: { status: 'failed', status_detail: 'budget_reached' } },
    ]);
  });
});
