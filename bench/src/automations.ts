import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase, type Database } from '../../server/src/db/pool.ts';
import { runDue } from '../../server/src/features/automations/scheduler.ts';
import { createJobs, type Jobs } from '../../server/src/jobs/queue.ts';
import { queues } from '../../server/src/jobs/queues.ts';
import { systemClock } from '../../server/src/lib/clock.ts';
import { newId } from '../../server/src/lib/ids.ts';
import { createLog } from '../../server/src/lib/log.ts';
import { startProgram } from './processes.ts';

export interface AutomationFigures {
  automations: number;
  /** Until every automation had its run and its job. */
  seconds: number;
  runs: number;
  jobs: number;
  /** Of the inserts of as many runs and jobs alone. */
  bareSeconds: number;
}

/** Rows per transaction of the bare inserts: as many as the scheduler claims at once. */
const batch = 500;

/** Lets two schedulers start many automations that are due at the same time, and compares them with bare inserts. */
export async function benchAutomations(options: {
  connectionString: string;
  directory: string;
  automations: number;
  say: (line: string) => void;
}): Promise<AutomationFigures> {
  const { connectionString, directory, automations, say } = options;
  const log = createLog('warn');
  const db = openDatabase({ connectionString, maxConnections: 6, applicationName: 'bench', statementTimeoutMs: 0 });
  const jobs = createJobs({ connectionString, applicationName: 'bench jobs', queues, log });
  try {
    const template = await createTemplate(connectionString, directory);
    await jobs.start();
    say(`${automations.toLocaleString('en')} automations`);
    await fill(db, template, automations);
    const ctx = { db, jobs, log, clock: systemClock };
    const seconds = await secondsOf(() => Promise.all([runDue(ctx), runDue(ctx)]));
    const counted = await count(db);
    say('bare inserts');
    const bareSeconds = await secondsOf(() => insertBare(db, jobs, automations));
    return { automations, seconds, ...counted, bareSeconds };
  } finally {
    await jobs.stop({ graceMs: 1_000 });
    await db.close();
  }
}

/** Creates an automation through the API, which prepares the database, and ends the API again. */
async function createTemplate(connectionString: string, directory: string): Promise<string> {
  const data = mkdtempSync(join(directory, 'automations-'));
  const api = await startProgram(
    'server/src/main.ts',
    ['--role', 'api', '--port', '0', '--data', data, '--json'],
    { DATABASE_URL: connectionString },
    join(directory, 'automations.log'),
  );
  try {
    const key = readFileSync(join(data, 'admin-key'), 'utf8').trim();
    const answer = await fetch(`${String(api.ready['url'])}/v3/organizations/default/automations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'bench',
        triggers: [{ type: 'schedule', cron: '0 0 1 1 *' }],
        action: { prompt_template: 'Do it.' },
      }),
    });
    const text = await answer.text();
    if (answer.status !== 201) throw new Error(`POST /automations answered ${answer.status}: ${text}`);
    return String(Object(JSON.parse(text)).id);
  } finally {
    await api.stop();
  }
}

/** Copies the automation, with each concurrency rule in turn; all copies are due. */
async function fill(db: Database, template: string, automations: number): Promise<void> {
  await db.pool.query(
    `insert into automations (id, org_id, name, enabled, triggers, action, executor, run_as, concurrency, missed_runs,
       max_attempts, backoff_seconds, timeout_minutes, pause_after_failures, created_by_type, created_by_id)
     select 'aut_bench' || n, org_id, name, enabled,
       jsonb_build_array(triggers -> 0 || jsonb_build_object('id', 'hook_bench' || n)), action, executor, run_as,
       (array['skip', 'queue', 'replace', 'parallel'])[1 + n % 4], missed_runs, max_attempts, backoff_seconds,
       timeout_minutes, pause_after_failures, created_by_type, created_by_id
     from automations, generate_series(1, $2::int) as n where id = $1`,
    [template, automations],
  );
  await db.pool.query(
    `insert into automation_triggers (id, org_id, automation_id, type, due_at)
     select replace(id, 'aut_', 'hook_'), org_id, id, 'schedule', date_trunc('minute', now())
     from automations where id like 'aut_bench%'`,
  );
  await db.pool.query('vacuum analyze automations, automation_triggers, automation_runs');
}

async function count(db: Database): Promise<{ runs: number; jobs: number }> {
  const { rows } = await db.pool.query<{ runs: number; jobs: number }>(
    `select (select count(distinct automation_id)::int from automation_runs where automation_id like 'aut_bench%') as runs,
       (select count(distinct singleton_key)::int from pgboss.job where name = 'automation_run') as jobs`,
  );
  return rows[0] ?? { runs: 0, jobs: 0 };
}

/** Inserts as many runs and jobs, two connections at once, with nothing else in the transactions. */
async function insertBare(db: Database, jobs: Jobs, total: number): Promise<void> {
  let from = 0;
  const worker = async (): Promise<void> => {
    for (;;) {
      const first = from + 1;
      from += batch;
      if (first > total) return;
      const last = Math.min(total, first + batch - 1);
      await db.transaction((trx) => insertBatch(trx, jobs, first, last));
    }
  };
  await Promise.all([worker(), worker()]);
}

async function insertBatch(
  trx: Parameters<Jobs['enqueueNew']>[0],
  jobs: Jobs,
  first: number,
  last: number,
): Promise<void> {
  const now = new Date();
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const { id: orgId } = await trx
    .selectFrom('organizations')
    .select('id')
    .where('slug', '=', 'default')
    .executeTakeFirstOrThrow();
  const rows = numbers.map((number) => ({
    id: newId('run', now.getTime()),
    org_id: orgId,
    automation_id: `aut_bench${number}`,
    status: 'pending' as const,
    executor: 'platform' as const,
    exclusive: true,
    trigger: 'schedule',
    trigger_id: `hook_bench${number}`,
    deduplication_key: 'bare',
    scheduled_at: now,
    created_at: now,
  }));
  await trx.insertInto('automation_runs').values(rows).execute();
  await jobs.enqueueNew(
    trx,
    'automation_run',
    rows.map(({ id }) => ({ data: { run_id: id }, singletonKey: id })),
  );
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1_000;
}
