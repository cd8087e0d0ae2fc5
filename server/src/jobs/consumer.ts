import { setTimeout as delay } from 'node:timers/promises';
import type { Job as BossJob, PgBoss } from 'pg-boss';
import { messageOf } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { createWakeup } from '../lib/wakeup.ts';

/** One attempt at a job. */
export interface Job {
  readonly id: string;
  /** As it was enqueued; parse it. */
  readonly data: unknown;
  /** 0 at the first attempt. */
  readonly retryCount: number;
  /** Aborted when the process stops or the claim was lost (the job then runs elsewhere). */
  readonly signal: AbortSignal;
}

/** Does what a job says; may run twice. Throwing means: try again later. */
export type JobHandler = (job: Job) => Promise<void>;

export interface WorkOptions {
  /** The maximum number of concurrent handlers in this process. */
  concurrency: number;
}

/** The consumption of one queue by this process. */
export interface Consumer {
  readonly queue: string;
  /** Looks for jobs now. */
  wake(): void;
  /** Takes no more, tells running handlers by their signal, waits for them, and gives back what is then still running. */
  stop(graceMs: number): Promise<void>;
}

export interface ConsumerOptions extends WorkOptions {
  boss: Pick<PgBoss, 'fetch' | 'complete' | 'fail' | 'touch'>;
  queue: string;
  handler: JobHandler;
  log: Log;
}

const afterFailureMs = 2_000;
/** Well below the shortest heartbeat that pg-boss allows, 10 s. */
const heartbeatMs = 3_000;

interface Running {
  /** pg-boss's fence for every write: the job and its earlier attempts. */
  attempt: { id: string; retryCount: number };
  abort: AbortController;
  done: Promise<void>;
}

/** Takes jobs of one queue while there is room for them, at the start and whenever it is woken. */
export function startConsumer(options: ConsumerOptions): Consumer {
  const { boss, queue, log } = options;
  const running = new Map<string, Running>();
  const wakeup = createWakeup();
  const stopping = new AbortController();
  const heartbeat = setInterval(() => void beat(boss, queue, running, log), heartbeatMs);

  function start(job: BossJob<unknown>): void {
    const abort = new AbortController();
    const attempt = { id: job.id, retryCount: job.retryCount };
    const signal = AbortSignal.any([abort.signal, stopping.signal]);
    const done = attend(options, { ...attempt, data: job.data, signal }).finally(() => {
      running.delete(job.id);
      wakeup.notify();
    });
    running.set(job.id, { attempt, abort, done });
  }

  async function fetchAll(): Promise<void> {
    const room = options.concurrency - running.size;
    if (room < 1) {
      return;
    }
    const jobs = await boss.fetch<unknown>(queue, { batchSize: room });
    jobs.forEach(start);
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      wakeup.reset();
      try {
        await fetchAll();
        await wakeup.wait();
      } catch (error) {
        log.warn({ queue, reason: messageOf(error) }, 'jobs could not be fetched');
        await delay(afterFailureMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
  }

  const ended = loop();
  return {
    queue,
    wake: wakeup.notify,
    async stop(graceMs) {
      stopping.abort(new Error('The process is stopping.'));
      wakeup.notify();
      await ended;
      await settled(running, graceMs);
      clearInterval(heartbeat);
      await giveBack(options, [...running.values()]);
    },
  };
}

/** Runs the handler and tells the queue how it ended; never rejects. */
async function attend({ boss, queue, handler, log }: ConsumerOptions, job: Job): Promise<void> {
  const attempt = { id: job.id, retryCount: job.retryCount };
  try {
    await handler(job);
  } catch (error) {
    if (!job.signal.aborted) {
      log.warn({ queue, job: job.id, attempt: job.retryCount, reason: messageOf(error) }, 'a job failed');
    }
    await settle(() => boss.fail(queue, attempt, { message: messageOf(error) }));
    return;
  }
  await settle(() => boss.complete(queue, attempt));

  async function settle(write: () => Promise<unknown>): Promise<void> {
    try {
      await write();
    } catch (error) {
      // Its heartbeat ends here, so the job runs again, which a handler allows.
      log.warn({ queue, job: job.id, reason: messageOf(error) }, 'the end of a job could not be written');
    }
  }
}

/** Keeps the claims of running jobs and aborts those that were lost. */
async function beat(
  boss: Pick<PgBoss, 'touch'>,
  queue: string,
  running: Map<string, Running>,
  log: Log,
): Promise<void> {
  const held = [...running.values()];
  if (held.length === 0) {
    return;
  }
  try {
    const kept = touchedBy(
      await boss.touch(
        queue,
        held.map(({ attempt }) => attempt),
      ),
    );
    for (const { attempt, abort } of held) {
      // A job that ended concurrently is not active either, but it is not lost.
      if (kept?.includes(attempt.id) === false && running.get(attempt.id)?.attempt === attempt) {
        log.warn({ queue, job: attempt.id }, 'the claim of a running job was lost');
        abort.abort(new Error('The claim of this job was lost.'));
      }
    }
  } catch (error) {
    log.warn({ queue, reason: messageOf(error) }, 'the heartbeat of running jobs could not be written');
  }
}

/** The jobs that were still held; undefined if this version of pg-boss, whose types leave the field out, does not say. */
function touchedBy(response: object): unknown[] | undefined {
  return 'settled' in response && Array.isArray(response.settled) ? response.settled : undefined;
}

async function settled(running: Map<string, Running>, graceMs: number): Promise<void> {
  const timer = new AbortController();
  const handlers = Promise.all([...running.values()].map(({ done }) => done));
  await Promise.race([handlers, delay(graceMs, undefined, { signal: timer.signal }).catch(() => undefined)]);
  timer.abort();
}

async function giveBack({ boss, queue, log }: ConsumerOptions, left: Running[]): Promise<void> {
  if (left.length === 0) {
    return;
  }
  log.warn({ queue, jobs: left.map(({ attempt }) => attempt.id) }, 'jobs were given back before they ended');
  try {
    await boss.fail(
      queue,
      left.map(({ attempt }) => attempt),
      { message: 'The process stopped.' },
    );
  } catch (error) {
    log.warn({ queue, reason: messageOf(error) }, 'jobs could not be given back');
  }
}
