import { createInterface } from 'node:readline';
import { openDatabase } from '../../src/db/pool.ts';
import { runDue, type SchedulerContext } from '../../src/features/automations/scheduler.ts';
import { createJobs } from '../../src/jobs/queue.ts';
import { queues } from '../../src/jobs/queues.ts';
import { createLog } from '../../src/lib/log.ts';

/**
 * A scheduler process, to be killed by tests. Argument: the database. For each line `<time> [runs|alarm]` it schedules as
 * at this time and prints `done`; with a second word it stops forever before it commits that, and prints `held`.
 */
const [connectionString = ''] = process.argv.slice(2);
const log = createLog('fatal');
const db = openDatabase({ connectionString, maxConnections: 2, applicationName: 'guildhall test scheduler' });
const jobs = createJobs({ connectionString, applicationName: 'guildhall test scheduler jobs', queues, log });
await jobs.start();
process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  const [at = '', held = ''] = line.split(' ');
  const before =
    <Arguments extends unknown[]>(step: string, act: (...given: Arguments) => Promise<void>) =>
    (...given: Arguments): Promise<void> =>
      step === held ? hang() : act(...given);
  const ctx: SchedulerContext = {
    db,
    log,
    clock: { now: () => new Date(at) },
    jobs: { ...jobs, enqueueNew: before('runs', jobs.enqueueNew), enqueue: before('alarm', jobs.enqueue) },
  };
  await runDue(ctx);
  process.stdout.write('done\n');
}

function hang(): Promise<void> {
  process.stdout.write('held\n');
  return new Promise(() => undefined);
}
