import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { claim, newAutomation, newRun } from '../../../test/support/automations.ts';
import { withinOneDay } from '../../../test/support/day.ts';
import { createGitUser, withKey, type GitUser } from '../../../test/support/git.ts';
import { rollUpAll } from '../../../test/support/rollups.ts';
import { sessionIn, start } from '../../../test/support/session-states.ts';
import { lookAtRun } from '../automations/runs/look-service.ts';
import { rebuildRollups } from '../consumption/rollup-service.ts';
import { deliverChangeRequest, recordPush } from '../sessions/run/delivery-service.ts';
import { reserveCall, settleCall } from '../sessions/run/model-service.ts';
import { finish } from '../sessions/run/run-service.ts';

const organization = '/v3/organizations/default';
const within = { timeout: 20_000, interval: 50 };

let api: TestApi;
let ada: GitUser;
let repository: { id: string; url: string };
let work: string;
beforeAll(async () => {
  api = await startTestApi();
  ada = await createGitUser();
  const body = { provider: 'local', repo: 'acme/delivered' };
  const { json } = await api.call('POST', `${organization}/repositories`, { body });
  repository = { id: String(json['id']), url: withKey(String(json['clone_url']), api.adminKey) };
  work = await ada.start({ 'a.txt': 'one\n' });
  await ada.git(work, 'push', '-q', repository.url, 'main');
});
beforeEach(() => withinOneDay());
afterAll(async () => {
  await ada.close();
  await api.close();
});

async function measured(metric: string): Promise<number> {
  const { rows } = await api.ctx.db.pool.query<{ count: number }>(
    'select count(*)::int as count from measurements where metric = $1',
    [metric],
  );
  return rows[0]?.count ?? 0;
}

/** Opens a change request of a session that spent this much; returns its number. */
async function deliver(branch: string, costUsd: number): Promise<number> {
  const { id } = await sessionIn(api, 'queued', { repositories: [{ repo: 'acme/delivered' }], tags: ['delivered'] });
  const run = await start(api, id);
  const permitted = await reserveCall(api.ctx, run, {
    inputTokens: 10,
    maxOutputTokens: 10,
    price: { input: 1e-6, output: 1e-6 },
  });
  if (permitted.outcome !== 'reserved') throw new Error(permitted.outcome);
  const tokens = { inputTokens: 10, outputTokens: 10, cachedInputTokens: 0, cacheWriteTokens: 0 };
  await settleCall(api.ctx, run, permitted, { ...tokens, model: 'p/m', costUsd, priceSource: 'published' });
  const base = await ada.git(work, 'rev-parse', 'main');
  await ada.git(work, 'checkout', '-q', '-b', branch, 'main');
  const commit = await ada.commit(work, { [`${branch}.txt`]: 'two\n' });
  await ada.git(work, 'push', '-q', repository.url, branch);
  const { rows } = await api.ctx.db.pool.query('select repositories from sessions where id = $1', [id]);
  const of = { provider: 'local', repo: 'acme/delivered' } as const;
  await recordPush(api.ctx, run, Object(rows[0]).repositories, { ...of, branch, commit });
  const { number } = await deliverChangeRequest(api.ctx, run, {
    ...of,
    repositoryId: repository.id,
    headRef: branch,
    headSha: commit,
    baseRef: 'main',
    baseSha: base,
    additions: 1,
    deletions: 0,
    changedFiles: 1,
    title: 'Right the answer',
    body: '',
    draft: false,
    evidence: [],
    author: { type: 'session', id },
  });
  await finish(api.ctx, run, {
    status: 'completed',
    status_detail: 'finished',
    sandbox_state: 'none',
    sandboxSeconds: 6,
  });
  return number;
}

async function act(number: number, action: 'merge' | 'close'): Promise<void> {
  const path = `${organization}/repositories/${repository.id}/change-requests/${number}/${action}`;
  expect((await api.call('POST', path)).status).toBe(200);
}

test('change requests: merged, closed, edited by someone else, and what a merged one cost', async () => {
  const [merged, edited, closed, open] = [
    await deliver('merged', 0.25),
    await deliver('edited', 0.5),
    await deliver('closed', 1),
    await deliver('open', 0.0625),
  ];
  await ada.git(work, 'checkout', '-q', 'edited');
  await ada.commit(work, { 'edited.txt': 'three\n' });
  await ada.git(work, 'push', '-q', repository.url, 'edited');
  await act(merged, 'merge');
  await act(edited, 'merge');
  await act(closed, 'close');
  expect(open).toBe(4);
  await expect.poll(() => measured('change_request.merged'), within).toBe(2);
  await expect.poll(() => measured('change_request.closed'), within).toBe(1);
  await expect.poll(() => measured('change_request.opened'), within).toBe(4);
  await rollUpAll(api.ctx);
  const check = async (): Promise<void> => {
    for (const query of [
      'repo=acme/delivered',
      'repo=local:acme/delivered',
      'repo=ACME/Delivered',
      'repo=local:Acme/Delivered&tag=delivered',
      'tag=delivered',
      'repo=acme/delivered&tag=delivered',
      '',
    ])
      for (const interval of ['day', 'week', 'month']) {
        const path = `${organization}/metrics/change-requests?interval=${interval}&${query}`;
        const { totals, items } = (await api.call('GET', path)).json;
        expect([path, totals]).toEqual([
          path,
          {
            opened: 4,
            merged: 2,
            closed: 1,
            merge_rate: 0.6667,
            time_to_change_request: { count: 4, p50_seconds: expect.any(Number), p95_seconds: expect.any(Number) },
            time_to_merge: { count: 2, p50_seconds: expect.any(Number), p95_seconds: expect.any(Number) },
            edited_after_delivery: 1,
            edited_after_delivery_rate: 0.3333,
            cost_usd: 1.8125,
            cost_per_merged_usd: 0.90625,
          },
        ]);
        const { start: _, ...last } = Object(items).at(-1);
        expect(last).toEqual(totals);
      }
    const none = (await api.call('GET', `${organization}/metrics/change-requests?repo=acme/other`)).json['totals'];
    expect(none).toMatchObject({ opened: 0, merge_rate: null, cost_per_merged_usd: null, cost_usd: 0 });
    const summary = Object((await api.call('GET', `${organization}/metrics/summary?tag=delivered`)).json['totals']);
    expect(summary.change_requests).toMatchObject({ merged: 2, cost_per_merged_usd: 0.90625 });
    expect(summary.usage).toMatchObject({ calls: 4, cost_usd: 1.8125, sandbox_minutes: 0.4 });
    expect(summary.sessions).toMatchObject({ created: 4, completed: 4 });
  };
  await check();
  await rebuildRollups(api.ctx);
  await check();
});

test('runs of automations, also of external executors without a session', async () => {
  const automation = await newAutomation(api);
  for (const status of ['succeeded', 'failed', 'canceled']) {
    const { id } = await newRun(api, automation);
    const attempt = await claim(api, { automation_ids: [automation.id] });
    expect(attempt?.id).toBe(id);
    const { callback_token: key = '', fencing_token, attempt_no } = attempt ?? {};
    const body = { fencing_token, attempt_no, status };
    expect((await api.call('POST', `/automations/runs/${id}/callback`, { key, body })).status).toBe(200);
  }
  for (const status of ['succeeded', 'failed', 'canceled'])
    await expect.poll(() => measured(`run.${status}`), within).toBe(1);
  await rollUpAll(api.ctx);
  const { totals } = (await api.call('GET', `${organization}/metrics/automations`)).json;
  expect(totals).toMatchObject({
    runs_succeeded: 1,
    runs_failed: 1,
    runs_canceled: 1,
    runs_timed_out: 0,
    run_success_rate: 0.5,
    run_duration: { count: 1, p50_seconds: expect.any(Number) },
    sessions: 0,
  });
});

test('a run that timed out and then succeeded counts once, and so does a change request that was closed and then merged', async () => {
  const path = `${organization}/metrics`;
  const [runs, requests] = [`${path}/automations`, `${path}/change-requests?repo=acme/delivered`];
  await rollUpAll(api.ctx);
  const before = [(await api.call('GET', runs)).json['totals'], (await api.call('GET', requests)).json['totals']].map(
    Object,
  );
  const automation = await newAutomation(api);
  const { id } = await newRun(api, automation);
  const {
    callback_token: key = '',
    fencing_token,
    attempt_no,
  } = (await claim(api, { automation_ids: [automation.id] })) ?? {};
  await api.ctx.db.pool.query(
    "update automation_runs set lease_expires_at = now() - interval '1 second' where id = $1",
    [id],
  );
  await lookAtRun(api.ctx, id);
  const number = await deliver('reopened', 0);
  await act(number, 'close');
  await expect.poll(() => measured('run.timed_out'), within).toBe(1);
  await expect.poll(() => measured('change_request.closed'), within).toBe(2);
  // Rolled up before they turn out to be wrong.
  await rollUpAll(api.ctx);
  const body = { fencing_token, attempt_no, status: 'succeeded' };
  expect((await api.call('POST', `/automations/runs/${id}/callback`, { key, body })).status).toBe(200);
  // Another host can merge one that was closed.
  await api.ctx.db.pool.query(
    `with merged as (update change_requests set state = 'merged', merged_at = now() where number = $1 returning org_id, id)
     insert into outbox_pending (org_id, type, resource_type, resource_id, actor_type, actor_id)
     select org_id, 'change_request.merged', 'change_request', id, 'system', '' from merged`,
    [number],
  );
  await expect.poll(() => measured('run.timed_out'), within).toBe(2);
  await expect.poll(() => measured('change_request.closed'), within).toBe(3);
  const check = async (): Promise<void> => {
    expect((await api.call('GET', runs)).json['totals']).toMatchObject({
      runs_succeeded: before[0].runs_succeeded + 1,
      runs_timed_out: before[0].runs_timed_out,
    });
    expect((await api.call('GET', requests)).json['totals']).toMatchObject({
      merged: before[1].merged + 1,
      closed: before[1].closed,
    });
  };
  await rollUpAll(api.ctx);
  await check();
  await rebuildRollups(api.ctx);
  await check();
});

test('reviews are the sessions of that origin', async () => {
  const { id } = await sessionIn(api, 'queued');
  // Nothing creates reviews yet.
  await api.ctx.db.pool.query("update sessions set origin = 'review' where id = $1", [id]);
  const run = await start(api, id);
  await finish(api.ctx, run, {
    status: 'completed',
    status_detail: 'finished',
    sandbox_state: 'none',
    sandboxSeconds: 1,
  });
  await expect
    .poll(async () => {
      await rollUpAll(api.ctx);
      return (await api.call('GET', `${organization}/metrics/reviews`)).json['totals'];
    }, within)
    .toMatchObject({ completed: 1, success_rate: 1, queue_wait: { count: 1 } });
});
