import type { AppError } from './errors.ts';

export interface Semaphore {
  /** Does something when it is its turn, first come first served. Throws `full()` when too many wait already. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Whether nothing runs and nothing waits. */
  readonly isIdle: boolean;
}

/** Lets `limit` things happen at once in this process and `maxWaiting` more wait: neither grows with what is asked. */
export function createSemaphore(limit: number, maxWaiting: number, full: () => AppError): Semaphore {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    get isIdle() {
      return running === 0;
    },
    async run(work) {
      if (running < limit) running += 1;
      else {
        if (waiting.length >= maxWaiting) throw full();
        // Whoever is done hands its turn on, so `running` stays.
        await new Promise<void>((resolve) => void waiting.push(resolve));
      }
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
  };
}

/** A semaphore for each key that is in use, e.g. for each organization: none takes the turns of another. */
export function createSemaphores(limit: number, maxWaiting: number, full: () => AppError) {
  const used = new Map<string, Semaphore>();
  return {
    async run<T>(key: string, work: () => Promise<T>): Promise<T> {
      const own = used.get(key) ?? createSemaphore(limit, maxWaiting, full);
      used.set(key, own);
      try {
        return await own.run(work);
      } finally {
        if (own.isIdle) used.delete(key);
      }
    },
  };
}
