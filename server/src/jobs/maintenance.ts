import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../lib/errors.ts';
import type { Job } from './consumer.ts';
import type { Jobs } from './queue.ts';

/** The queues of scheduled tasks; those of the second run where the repositories' directory is. */
export type MaintenanceQueue = 'maintenance' | 'repository_maintenance';

/** Work that the installation does on its own at fixed times, in one process at a time. */
export interface MaintenanceTask<Needs> {
  /** Unique; names the job, the metric and the log line: `delete-expired-rate-limits`. */
  name: string;
  queue?: MaintenanceQueue;
  /** `minute hour day month weekday`, UTC. */
  schedule: string;
  /** An attempt fails after this long. */
  timeoutMs: number;
  /** May run twice. Throwing means: try again, with growing delays. The signal aborts at the time limit and at the process's end. */
  run(ctx: Needs, signal: AbortSignal): Promise<unknown>;
}

/** Schedules every task, and ends the schedules of tasks that are no more. */
export async function scheduleMaintenance(
  jobs: Pick<Jobs, 'setSchedules'>,
  tasks: readonly MaintenanceTask<never>[],
): Promise<void> {
  await jobs.setSchedules(
    tasks.map(({ name, queue = 'maintenance', schedule }) => ({
      queue,
      key: name,
      cron: schedule,
      data: { task: name },
    })),
  );
}

/** Runs a queue's tasks in this process. Each is a job of its own, so none waits for another one that fails or hangs. */
export function workMaintenance<Needs>(
  jobs: Pick<Jobs, 'work'>,
  queue: MaintenanceQueue,
  all: readonly MaintenanceTask<Needs>[],
  ctx: Needs,
): void {
  const tasks = new Map(all.filter((task) => (task.queue ?? 'maintenance') === queue).map((task) => [task.name, task]));
  const running = new Set<string>();
  jobs.work(queue, { concurrency: tasks.size }, async ({ data, signal }) => {
    // A process of another version may know tasks that this one does not; their schedules end with that version.
    const task = tasks.get(taskOf(data));
    if (task === undefined) return;
    if (running.has(task.name)) throw new Error(`${task.name}: the attempt before is still running`);
    running.add(task.name);
    await withLimit(task, signal, (limited) => task.run(ctx, limited).finally(() => running.delete(task.name))).catch(
      (error: unknown) => Promise.reject(new Error(`${task.name}: ${messageOf(error)}`, { cause: error })),
    );
  });
}

function taskOf(data: Job['data']): string {
  return typeof data === 'object' && data !== null && 'task' in data ? String(data.task) : '';
}

/** Ends at the time limit even when the task does not look at its signal. */
async function withLimit(
  { timeoutMs }: { timeoutMs: number },
  stopping: AbortSignal,
  run: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const limit = new AbortController();
  const done = new AbortController();
  const timer = delay(timeoutMs, undefined, { signal: done.signal }).then(() => {
    const error = new Error(`not done after ${timeoutMs / 1_000} s`);
    limit.abort(error);
    throw error;
  });
  // Once the task is done the timer's own end is nobody's error.
  timer.catch(() => undefined);
  try {
    await Promise.race([run(AbortSignal.any([limit.signal, stopping])), timer]);
  } finally {
    done.abort();
  }
}
