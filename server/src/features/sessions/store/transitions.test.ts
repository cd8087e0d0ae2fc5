import { array, assert, asyncProperty, boolean, constantFrom, tuple } from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { sessionIn } from '../../../../test/support/session-states.ts';
import { statuses, type SessionStatus } from '../schemas/session-schemas.ts';
import { claimSession } from './dispatch-store.ts';
import { lockSession } from './session-store.ts';
import { bySystem, moveSession } from './transition-store.ts';
import {
  findTransition,
  IllegalTransition,
  sessionEvents,
  statusChanges,
  statusesOf,
  type SessionEvent,
} from './transitions.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => api.close());

/**
 * The contract, written by hand: for each event the next status in each status, in the order of {@link statuses}; `-`
 * is rejected.
 */
const contract: Record<SessionEvent, string> = {
  //             queued       provisioning running      waiting   suspended completed failed  canceled
  claim: '         queued       provisioning running      -         -         -         -       -',
  provision: '     provisioning provisioning -            -         -         -         -       -',
  work: '          running      running      running      -         -         -         -       -',
  complete: '      completed    completed    completed    -         -         -         -       -',
  complete_kept: ' completed    completed    completed    -         -         -         -       -',
  wait: '          waiting      waiting      waiting      waiting   -         -         -       -',
  wait_kept: '     waiting      waiting      waiting      -         -         -         -       -',
  fail: '          failed       failed       failed       -         -         -         -       -',
  suspend: '       suspended    suspended    suspended    suspended -         -         -       -',
  release: '       queued       provisioning running      waiting   -         completed -       -',
  abandon: '       queued       provisioning running      -         -         -         -       -',
  hold: '          queued       queued       queued       -         -         -         -       -',
  refuse: '        failed       failed       failed       -         -         -         -       -',
  set_aside: '     suspended    suspended    suspended    -         -         -         -       -',
  cancel: '        canceled     canceled     canceled     canceled  canceled  -         -       -',
  resume: '        -            -            -            -         queued    queued    queued  -',
  message: '       -            -            -            running   queued    queued    queued  -',
};

describe('the table', () => {
  test('has every pair of status and event as the contract says', () => {
    const found = sessionEvents.map((event) => [
      event,
      statuses.map((status) => findTransition(status, event)?.status ?? '-'),
    ]);
    const expected = Object.entries(contract).map(([event, row]) => [event, row.trim().split(/\s+/)]);
    expect(found).toEqual(expected);
  });

  test('keeps a lease only on running or kept sessions, and notifies workers only of sessions to claim', () => {
    for (const event of sessionEvents)
      for (const status of statuses) {
        const next = findTransition(status, event);
        if (next === undefined) continue;
        const isActive = statusesOf('claim').includes(next.status);
        const isKept = event === 'complete_kept' || event === 'wait_kept';
        if (!isActive && !isKept) expect([event, status, next.lease]).toEqual([event, status, 'release']);
        if (next.wakesWorkers) expect([event, status, isActive]).toEqual([event, status, true]);
        // If a worker may have the session meanwhile, the fencing token changes, unless its own worker causes the
        // event.
        if (['hold', 'refuse', 'cancel'].includes(event)) expect([event, next.fences]).toEqual([event, true]);
      }
  });
});

describe('the database', () => {
  test('has the same changes of status as the table', async () => {
    const { rows } = await api.ctx.db.pool.query<{ change: string }>(
      `select a || '>' || b as change from unnest($1::text[]) a, unnest($1::text[]) b where session_may_become(a, b)`,
      [statuses],
    );
    expect(rows.map(({ change }) => change).sort()).toEqual(statusChanges());
  });

  test('refuses every other one, from every writer', async () => {
    const { id } = await sessionIn(api, 'queued');
    const allowed = new Set(statusChanges());
    for (const from of statuses)
      for (const to of statuses) {
        if (from === to) continue;
        await putStatus(id, from);
        const write = api.ctx.db.transaction(async (trx) => {
          await trx.updateTable('sessions').set({ status: to }).where('id', '=', id).execute();
        });
        const outcome = await write.then(
          () => 'done',
          (error: unknown) => String(error),
        );
        const expected = allowed.has(`${from}>${to}`)
          ? 'done'
          : `error: the session ${id} is ${from} and cannot become ${to}`;
        expect([from, to, outcome]).toEqual([from, to, expected]);
      }
  });
});

/** Sets a session's status without the trigger that checks transitions. */
async function putStatus(id: string, status: SessionStatus): Promise<void> {
  const client = await api.ctx.db.pool.connect();
  try {
    await client.query('begin');
    await client.query('set local session_replication_role = replica');
    await client.query('update sessions set status = $2 where id = $1', [id, status]);
    await client.query('commit');
  } finally {
    client.release();
  }
}

interface Row {
  status: SessionStatus;
  fence: number;
  lease_owner: string;
  lease_until: Date | null;
  losses: number;
  told: string;
}

async function read(id: string): Promise<Row> {
  const { rows } = await api.ctx.db.pool.query<Row>(
    `select status, fence, lease_owner, lease_until, losses, (select data ->> 'status' from session_events
       where session_id = $1 and kind = 'status' order by seq desc limit 1) as told from sessions where id = $1`,
    [id],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the session is gone');
  return row;
}

async function defaultId(): Promise<string> {
  const { rows } = await api.ctx.db.pool.query<{ id: string }>("select id from organizations where slug = 'default'");
  return rows[0]?.id ?? '';
}

async function apply(id: string, orgId: string, event: SessionEvent): Promise<string> {
  if (event === 'claim') {
    const claimer = { owner: 'worker-1', takesOver: true, leaseMs: 60_000 };
    return (await claimSession(api.ctx.db, id, claimer, api.ctx.clock.now())) === undefined ? 'refused' : 'done';
  }
  return api.ctx.db
    .transaction(async (trx) => {
      const session = await lockSession(trx, orgId, id);
      if (session === undefined) throw new Error('the session is gone');
      await moveSession(trx, session, { event, by: bySystem });
      return 'done';
    })
    .catch((error: unknown) => {
      if (error instanceof IllegalTransition) return 'refused';
      throw error;
    });
}

test('whatever happens to a session, and in which order, its lease, token, log and status agree', async () => {
  const orgId = await defaultId();
  const steps = array(tuple(constantFrom(...sessionEvents), boolean()), { minLength: 8, maxLength: 14 });
  const sequence = asyncProperty(steps, async (events) => {
    const { id } = await sessionIn(api, 'queued');
    for (const [event, expires] of events) {
      if (expires)
        await api.ctx.db.pool.query(
          `update sessions set lease_until = now() - interval '1 s' where lease_until is not null and id = $1`,
          [id],
        );
      const before = await read(id);
      const isHeld = before.lease_until !== null && before.lease_until > new Date();
      const mustWait = before.lease_owner !== '' && before.losses >= 2;
      const transition = findTransition(before.status, event);
      const isTaken = event === 'claim' && (isHeld || mustWait);
      const expected = transition === undefined || isTaken ? 'refused' : 'done';
      const outcome = await apply(id, orgId, event);
      const after = await read(id);
      expect(outcome).toBe(expected);
      if (outcome === 'refused') {
        expect(after).toEqual(before);
        continue;
      }
      expect(after.status).toBe(transition?.status);
      expect(after.told).toBe(event === 'claim' ? before.told : after.status);
      expect(after.fence - before.fence).toBe(transition?.fences === true ? 1 : 0);
      expect(after.losses).toBeGreaterThanOrEqual(0);
      if (after.lease_owner !== '') expect(after.lease_until).not.toBeNull();
      if (['suspended', 'failed', 'canceled'].includes(after.status)) expect(after.lease_until).toBeNull();
      if (transition?.lease === 'release')
        expect([after.lease_owner, after.lease_until, after.losses]).toEqual(['', null, 0]);
    }
  });
  await assert(sequence, { numRuns: 25 });
});

describe('what was handed back is claimed at once, without a lost attempt,', () => {
  const other = { owner: 'worker-2', takesOver: false, leaseMs: 60_000 };

  test('when its worker drains', async () => {
    const { id } = await sessionIn(api, 'running');
    await apply(id, await defaultId(), 'release');
    expect(await claimSession(api.ctx.db, id, other, api.ctx.clock.now())).toMatchObject({ losses: 0, before: '' });
  });

  test('when somebody writes, and the worker that kept it is gone', async () => {
    const { id, path } = await sessionIn(api, 'queued');
    await apply(id, await defaultId(), 'claim');
    await apply(id, await defaultId(), 'complete_kept');
    await api.ctx.db.pool.query(`update sessions set lease_until = now() - interval '1 s' where id = $1`, [id]);
    expect((await api.call('POST', `${path}/messages`, { body: { content: 'More.' } })).status).toBe(202);
    expect(await claimSession(api.ctx.db, id, other, api.ctx.clock.now())).toMatchObject({ losses: 0, before: '' });
  });
});
