import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Transaction } from 'kysely';
import { fromKysely, PgBoss } from 'pg-boss';
import type { DB } from '../db/types.ts';
import type { Log } from '../lib/log.ts';
import { type Consumer, type JobHandler, startConsumer, type WorkOptions } from './consumer.ts';
import { type JobsDatabase, openJobsDatabase } from './database.ts';
import { wakeDueQueues } from './due-queues.ts';
import type { QueueName, QueueSettings } from './queues.ts';

export interface JobsOptions<Name extends string> {
  /** A direct connection: LISTEN does not pass a pooler in transaction mode. */
  connectionString: string;
  /** Shown in `pg_stat_activity`. */
  applicationName: string;
  queues: Record<Name, QueueSettings>;
  log: Log;
}

export interface EnqueueOptions {
  /**
   * At most one job with this key waits in the queue; a later one replaces its data and wakes it. It may wait while
   * another with the key runs, so what the caller's transaction changed is always looked at afterwards.
   */
  singletonKey?: string;
  /** Not before this time (at most 2 s after it). A later call with the same key moves it; an immediate job stays apart. */
  startAfter?: Date;
  /** Higher first; 0 by default. */
  priority?: number;
}

/**
 * Work that outlives a request, at least once: a job whose worker died is found by its heartbeat and runs again within
 * 10 to 16 s, and one that fails is tried again with growing delays, so handlers are idempotent wake-ups.
 */
export interface Jobs<Name extends string = QueueName> {
  /** Installs or updates the queue's tables and queues; any number of processes may do so at once. */
  start(): Promise<void>;
  /** Takes no more jobs, aborts the signal of running ones and gives them `graceMs`. May be called more than once. */
  stop(options: { graceMs: number }): Promise<void>;
  /** Adds a job that exists when, and only when, the caller's transaction commits. */
  enqueue(trx: Transaction<DB>, queue: Name, data: object, options?: EnqueueOptions): Promise<void>;
  /** Adds jobs with keys that no other job of the queue has, in one statement. They too exist only if the transaction commits. */
  enqueueNew(trx: Transaction<DB>, queue: Name, jobs: readonly NewJob[]): Promise<void>;
  /** Handles the queue's jobs in this process; once per queue, after {@link start}. */
  work(queue: Name, options: WorkOptions, handler: JobHandler): void;
  /** Makes these the installation's schedules, and ends all others; any number of processes may do so at once. */
  setSchedules(schedules: readonly Schedule<Name>[]): Promise<void>;
}

export interface NewJob {
  data: object;
  singletonKey: string;
}

/** One job with this key at each time that the expression names: UTC, to the minute, up to 35 s late. */
export interface Schedule<Name extends string = QueueName> {
  queue: Name;
  /** Unique in its queue; also the job's singleton key. */
  key: string;
  /** `minute hour day month weekday`. */
  cron: string;
  data: object;
}

const day = 86_400;

/** The longest that pg-boss allows: the heartbeat tells whether a job is alive, not its age. */
const expireInSeconds = day;
const heartbeatSeconds = 10;
const retryForever = 1_000_000;

export function createJobs<Name extends string>(options: JobsOptions<Name>): Jobs<Name> {
  const { log } = options;
  const consumers = new Map<string, Consumer>();
  const database = openJobsDatabase({
    ...options,
    onJobs: (queue) => {
      for (const consumer of consumers.values()) {
        if (queue === undefined || consumer.queue === queue) {
          consumer.wake();
        }
      }
    },
  });
  const boss = createBoss(database, log);
  let stopped: Promise<void> | undefined;
  let stopLooking = async (): Promise<void> => undefined;

  async function stop(graceMs: number): Promise<void> {
    await Promise.all([stopLooking(), ...[...consumers.values()].map((consumer) => consumer.stop(graceMs))]);
    await boss.stop({ graceful: false });
    await database.close();
  }

  return {
    async start() {
      await boss.start();
      await declareQueues(boss, options.queues);
      if (stopped === undefined) stopLooking = wakeDueQueues(database.db, consumers, log);
    },
    stop: ({ graceMs }) => (stopped ??= stop(graceMs)),
    enqueue: (trx, queue, data, enqueueOptions = {}) => enqueue(boss, trx, queue, data, enqueueOptions),
    async enqueueNew(trx, queue, jobs) {
      if (jobs.length > 0) await boss.insert(queue, [...jobs], { db: fromKysely(trx) });
    },
    work(queue, workOptions, handler) {
      if (consumers.has(queue)) {
        throw new Error(`The queue ${queue} has a handler in this process already.`);
      }
      const consumer = startConsumer({ ...workOptions, boss, queue, handler, log });
      consumers.set(queue, consumer);
    },
    setSchedules: (schedules) => setSchedules(boss, schedules),
  };
}

function createBoss({ db }: JobsDatabase, log: Log): PgBoss {
  const boss = new PgBoss({
    db,
    useListenNotify: true,
    // Lost workers are looked for this often, by one process at a time.
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
    // Finished jobs go away this often; the index check stays daily.
    maintenanceIntervalSeconds: 300,
    cronMonitorIntervalSeconds: 30,
    cronWorkerIntervalSeconds: 5,
    queueCacheIntervalSeconds: 300,
    bamIntervalSeconds: 300,
    // Dependencies between jobs, which are not used here.
    flowIntervalSeconds: 3_600,
  });
  boss.on('error', (error) => log.warn({ reason: error.message }, 'the queue met an error'));
  boss.on('warning', (warning) => log.warn({ reason: warning.message }, 'the queue warns'));
  return boss;
}

async function declareQueues(boss: PgBoss, queues: Record<string, QueueSettings>): Promise<void> {
  const known = new Map((await boss.getQueues(Object.keys(queues))).map((queue) => [queue.name, queue]));
  for (const [name, settings] of Object.entries(queues)) {
    const wanted = {
      notify: true,
      heartbeatSeconds,
      expireInSeconds,
      retentionSeconds: 30 * day,
      deleteAfterSeconds: 600,
      retryLimit: settings.retryLimit ?? retryForever,
      retryDelay: settings.retryDelay ?? 1,
      retryDelayMax: settings.retryDelayMax ?? 60,
      retryBackoff: true,
    };
    const found = known.get(name);
    if (found === undefined) {
      await boss.createQueue(name, { ...wanted, policy: settings.policy ?? 'short' });
    } else if (Object.entries(wanted).some(([key, value]) => Reflect.get(found, key) !== value)) {
      await boss.updateQueue(name, wanted);
    }
  }
}

async function setSchedules(boss: PgBoss, schedules: readonly Schedule<string>[]): Promise<void> {
  const known = await boss.getSchedules();
  const isNamed = (one: { name: string; key: string }, { queue, key }: Schedule<string>): boolean =>
    one.name === queue && one.key === key;
  for (const schedule of schedules) {
    const { queue, key, cron, data } = schedule;
    const wanted = { cron, data, options: { tz: 'UTC', key, singletonKey: key } };
    // pg-boss takes milliseconds to check an expression.
    const isKept = known.some((one) => isNamed(one, schedule) && isDeepStrictEqual({ ...one, ...wanted }, one));
    if (!isKept) await boss.schedule(queue, cron, data, wanted.options);
  }
  for (const one of known) {
    if (!schedules.some((schedule) => isNamed(one, schedule))) await boss.unschedule(one.name, one.key);
  }
}

/**
 * Merging into a waiting job must lock it until the caller commits: a worker that takes it before then would look at
 * the state from before and the change would never be looked at. `upsert` updates, hence locks, the row; when a worker
 * was faster there is nothing to update and the next round inserts.
 */
async function enqueue(
  boss: PgBoss,
  trx: Transaction<DB>,
  queue: string,
  data: object,
  { singletonKey, startAfter, priority = 0 }: EnqueueOptions,
): Promise<void> {
  const db = fromKysely(trx);
  if (singletonKey === undefined) {
    // The queues' policy allows one waiting job per key, so each gets a key of its own.
    await boss.send(queue, data, { db, startAfter, priority, singletonKey: randomUUID() });
    return;
  }
  for (let round = 0; round < 10; round += 1) {
    const { jobs } = await boss.upsert(queue, data, {
      db,
      singletonKey: startAfter === undefined ? singletonKey : `${singletonKey}@later`,
      // Also pulls a job forward that waits for its next attempt.
      startAfter: startAfter ?? 0,
      priority,
    });
    if (jobs.length > 0) {
      return;
    }
  }
  throw new Error(`The job ${singletonKey} could not be added to the queue ${queue}.`);
}
