import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { newAutomation, newRun } from '../../../../test/support/automations.ts';
import {
  activeRunStatuses,
  findRunTransition,
  IllegalRunTransition,
  requireRunTransition,
  runEvents,
  runStatusChanges,
  runStatuses,
  type RunEvent,
} from './transitions.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

/**
 * The contract, written by hand: for each event the next status in each status, in the order of {@link runStatuses};
 * `-` is rejected.
 */
const contract: Record<RunEvent, string> = {
  //         pending   running   retrying  succeeded failed  timed_out canceled skipped scheduled
  start: '   running   -         -         -         -       -         -        -       -',
  renew: '   -         running   -         -         -       -         -        -       -',
  succeed: ' -         succeeded -         -         -       -         -        -       -',
  fail: '    failed    failed    -         -         -       -         -        -       -',
  time_out: '-         timed_out -         -         -       -         -        -       -',
  back_off: 'retrying  retrying  -         -         -       -         -        -       -',
  advance: ' -         -         pending   -         pending pending   pending  -       -',
  cancel: '  canceled  canceled  canceled  -         -       -         -        -       canceled',
  correct: ' succeeded -         succeeded -         -       succeeded -        -       -',
  come_due: '-        -         -         -         -       -         -        -       pending',
  skip: '    -        -         -         -         -       -         -        -       skipped',
};
const rows = Object.entries(contract).flatMap(([event, row]) =>
  row
    .trim()
    .split(/\s+/)
    .map((next, at) => [String(runStatuses[at]), event, next] as const),
);

describe('the table', () => {
  test.each(rows)('%s, %s: %s', (status, event, next) => {
    const from = runStatuses.find((one) => one === status) ?? expect.fail();
    const by = runEvents.find((one) => one === event) ?? expect.fail();
    expect(findRunTransition(from, by)?.status ?? '-').toBe(next);
    if (next === '-') expect(() => requireRunTransition(from, by)).toThrow(IllegalRunTransition);
  });

  test('has no other events and statuses', () => {
    expect(runEvents).toEqual(Object.keys(contract));
    expect(rows).toHaveLength(runEvents.length * runStatuses.length);
  });

  test('issues a token exactly at a start, and counts an attempt exactly when the next one begins', () => {
    for (const status of runStatuses)
      for (const event of runEvents) {
        const found = findRunTransition(status, event);
        if (found === undefined) continue;
        expect([event, found.fences, found.advances]).toEqual([event, event === 'start', event === 'advance']);
      }
  });
});

describe('the database', () => {
  test('has the same changes of status as the table', async () => {
    const { rows: found } = await api.ctx.db.pool.query<{ change: string }>(
      `select a || '>' || b as change from unnest($1::text[]) a, unnest($1::text[]) b
       where automation_run_may_become(a, b)`,
      [runStatuses],
    );
    expect(found.map(({ change }) => change).sort()).toEqual(runStatusChanges());
  });

  test('refuses every other change, an older token and an earlier attempt, whoever writes', async () => {
    const automation = await newAutomation(api, { concurrency: 'parallel' });
    const allowed = new Set(runStatusChanges());
    const { pool } = api.ctx.db;
    const put = `update automation_runs set status = $2,
      outcome = case when $2 = 'running' then '' else 'failed' end, fencing_token = 2, attempt_no = 2 where id = $1`;
    let refused = 0;
    for (const from of runStatuses)
      for (const to of runStatuses) {
        if (from === to) continue;
        const { id } = await newRun(api, automation);
        await pool.query('alter table automation_runs disable trigger automation_runs_transition');
        await pool.query(put, [id, from]);
        await pool.query('alter table automation_runs enable trigger automation_runs_transition');
        const attempt = pool.query(put, [id, to]);
        if (allowed.has(`${from}>${to}`)) await attempt;
        else {
          await expect(attempt).rejects.toMatchObject({ code: '23514', constraint: 'automation_runs_transition' });
          refused += 1;
        }
      }
    expect(refused).toBe(runStatuses.length * (runStatuses.length - 1) - allowed.size);
    const { id } = await newRun(api, automation);
    await pool.query(put, [id, 'running']);
    for (const change of ['fencing_token = 1', 'attempt_no = 1'])
      await expect(pool.query(`update automation_runs set ${change} where id = $1`, [id])).rejects.toMatchObject({
        constraint: 'automation_runs_transition',
      });
  });

  test('lets one exclusive run of an automation run at a time', async () => {
    const automation = await newAutomation(api, { concurrency: 'queue' });
    const [one, other] = [await newRun(api, automation), await newRun(api, automation)];
    const start = "update automation_runs set status = 'running', fencing_token = 1, outcome = '' where id = $1";
    await api.ctx.db.pool.query(start, [one.id]);
    await expect(api.ctx.db.pool.query(start, [other.id])).rejects.toMatchObject({
      constraint: 'automation_runs_exclusive',
    });
    expect(activeRunStatuses).toContain(other.status);
  });
});
