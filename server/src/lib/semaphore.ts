import type { AppError } from './errors.ts';
import { shareOf } from './machine-share.ts';

export interface Semaphore {
  /** Runs a task when it is its turn, first come first served. Throws `full()` when too many are waiting. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** Limits the tasks of this machine to `limit` at once, and those in this process's queue to `maxWaiting`. */
export function createSemaphore(limit: number, maxWaiting: number, full: () => AppError): Semaphore {
  const semaphores = createSemaphores({ each: limit, total: limit, waiting: maxWaiting }, full);
  return { run: (work) => semaphores.run('', work) };
}

export interface SemaphoreLimits {
  /** The maximum number of concurrent tasks per key. */
  each: number;
  /** The maximum for all keys together, of which this process has its share. */
  total: number;
  /** The maximum number of waiting tasks per key. */
  waiting: number;
  /** The maximum wait in milliseconds; unlimited by default. */
  maxWaitMs?: number;
}

/** The reason for a rejection: too many waiting, or a timeout caused by the key's own tasks or by others. */
export type NoTurn = 'full' | 'own' | 'others';

interface Line {
  running: number;
  readonly waiting: Set<() => void>;
}

/**
 * A semaphore per key, e.g. per organization, with a common limit. A free slot goes to the key with the fewest running tasks,
 * and among those to the one served least recently, so that a busy key does not starve others.
 */
export function createSemaphores(limits: SemaphoreLimits, refusal: (why: NoTurn) => AppError) {
  const { each } = limits;
  // The key that was served last goes to the end.
  const lines = new Map<string, Line>();
  let running = 0;

  function take(key: string, line: Line): void {
    running += 1;
    line.running += 1;
    lines.delete(key);
    lines.set(key, line);
  }

  function handOn(): void {
    while (running < shareOf(limits.total)) {
      const next = nextOf(lines, each);
      if (next === undefined) return;
      take(...next);
      const [go] = next[1].waiting;
      go?.();
    }
  }

  function leave(key: string, line: Line): void {
    if (line.running === 0 && line.waiting.size === 0) lines.delete(key);
  }

  return {
    async run<T>(key: string, work: () => Promise<T>): Promise<T> {
      const line = lines.get(key) ?? { running: 0, waiting: new Set() };
      if (running < shareOf(limits.total) && line.running < each) take(key, line);
      else {
        if (line.waiting.size >= limits.waiting) throw refusal('full');
        lines.set(key, line);
        await wait(line, limits, refusal).catch((error: unknown) => {
          leave(key, line);
          throw error;
        });
      }
      try {
        return await work();
      } finally {
        running -= 1;
        line.running -= 1;
        leave(key, line);
        handOn();
      }
    },
  };
}

function nextOf(lines: ReadonlyMap<string, Line>, each: number): [string, Line] | undefined {
  let next: [string, Line] | undefined;
  for (const entry of lines) {
    const [, { running, waiting }] = entry;
    if (waiting.size > 0 && running < (next?.[1].running ?? each)) next = entry;
  }
  return next;
}

function wait(line: Line, { each, maxWaitMs }: SemaphoreLimits, refusal: (why: NoTurn) => AppError): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const giveUp = (): void => {
    line.waiting.delete(go);
    reject(refusal(line.running < each ? 'others' : 'own'));
  };
  const timer = maxWaitMs === undefined ? undefined : setTimeout(giveUp, maxWaitMs);
  const go = (): void => {
    line.waiting.delete(go);
    clearTimeout(timer);
    resolve();
  };
  line.waiting.add(go);
  return promise;
}
