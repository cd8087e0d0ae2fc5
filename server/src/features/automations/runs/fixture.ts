import type { TestApi } from '../../../../test/support/api.ts';
import type { PathValues } from '../../../../test/support/fixture.ts';
import { newId } from '../../../lib/ids.ts';

/** Creates the rows of runs of an external executor: one runs, one failed, and one may be claimed. */
export async function makeRuns(api: TestApi, orgId: string, automationId: string): Promise<PathValues> {
  const [running, failed, pending] = [newId('run'), newId('run'), newId('run')];
  await api.ctx.db.pool.query(
    `insert into automation_runs (id, org_id, automation_id, status, executor, exclusive, trigger, deduplication_key,
       fencing_token, token_attempt_no, outcome, created_at, started_at, ended_at)
     values ($1, $3, $4, 'running', 'external', false, 'manual', 'running', 1, 1, '', now(), now(), null),
       ($2, $3, $4, 'failed', 'external', false, 'manual', 'failed', 1, 1, 'failed', now(), now(), now()),
       ($5, $3, $4, 'pending', 'external', false, 'manual', 'pending', 0, 0, '', now(), null, null)`,
    [running, failed, orgId, automationId, pending],
  );
  return {
    'automations/runs/{runId}': failed,
    'automations/runs/{run_id}': running,
  };
}
