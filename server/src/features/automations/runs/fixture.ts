import type { TestApi } from '../../../../test/support/api.ts';
import type { PathValues } from '../../../../test/support/fixture.ts';
import { newId } from '../../../lib/ids.ts';

/** Creates the rows of two runs of an external executor: one runs, and one failed. */
export async function makeRuns(api: TestApi, orgId: string, automationId: string): Promise<PathValues> {
  const [running, failed] = [newId('run'), newId('run')];
  await api.ctx.db.pool.query(
    `insert into automation_runs (id, org_id, automation_id, status, executor, exclusive, trigger, deduplication_key,
       fencing_token, token_attempt_no, outcome, created_at, started_at, ended_at)
     values ($1, $3, $4, 'running', 'external', false, 'manual', 'running', 1, 1, '', now(), now(), null),
       ($2, $3, $4, 'failed', 'external', false, 'manual', 'failed', 1, 1, 'failed', now(), now(), now())`,
    [running, failed, orgId, automationId],
  );
  return {
    'automations/runs/{runId}': failed,
    'automations/runs/{run_id}': running,
  };
}
