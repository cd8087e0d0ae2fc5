import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { retentionNow } from '../../../test/support/retention.ts';
import { sessionIn } from '../../../test/support/session-states.ts';
import { newId } from '../../lib/ids.ts';

const org = '/v3/organizations/default';
const afterMs = 31 * 24 * 3_600_000;

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

test('violations are deleted after some days, if the settings say so', async () => {
  const orgId = String((await api.call('GET', org)).json['id']);
  const session = await sessionIn(api, 'running');
  const violation = async (sessionId: string): Promise<string> => {
    const id = newId('vio');
    await api.ctx.db.pool.query(
      `insert into violations (id, org_id, repository_id, provider, repo, rule, action, session_id, evidence, fold, created_at)
       values ($1, $2, '', '', '', 'max_concurrent_sessions', 'blocked', $3, '{}', $1, now())`,
      [id, orgId, sessionId],
    );
    return id;
  };
  await violation('');
  const kept = await violation(session.id);
  const body = { violations_days: 30 };
  expect((await api.call('PUT', `${org}/settings/retention`, { body })).status).toBe(200);
  expect(await retentionNow(api.ctx, 'violations')).toEqual(new Map());
  expect((await retentionNow(api.ctx, 'violations', { afterMs, isDryRun: true })).get(orgId)?.count).toBe(1);
  expect((await retentionNow(api.ctx, 'violations', { afterMs })).get(orgId)?.count).toBe(1);
  const { rows } = await api.ctx.db.pool.query('select id from violations order by id');
  expect(rows).toEqual([{ id: kept }]);
});
