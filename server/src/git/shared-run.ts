/** A run that several callers await. */
interface Shared<T> {
  /** Resolves when the run has ended, successfully or not. */
  settled: Promise<void>;
  join(signal: AbortSignal | undefined): Promise<T>;
}

type Work<T> = (signal: AbortSignal) => Promise<T>;

/**
 * Allows one run per key in this process, and one waiting run. A caller during a run shares the next run, because the current
 * one may have read older data. A run is aborted only when all its callers have aborted.
 */
export function createSharedRuns<T>(): {
  run(key: string, signal: AbortSignal | undefined, work: Work<T>): Promise<T>;
} {
  const lanes = new Map<string, { running: Shared<T>; next: Shared<T> | undefined }>();

  function place(key: string, work: Work<T>): Shared<T> {
    const lane = lanes.get(key);
    if (lane === undefined) return begin(key, share(work, Promise.resolve()));
    lane.next ??= share(work, lane.running.settled);
    return lane.next;
  }

  function begin(key: string, running: Shared<T>): Shared<T> {
    lanes.set(key, { running, next: undefined });
    const settle = async (): Promise<void> => {
      await running.settled;
      const next = lanes.get(key)?.next;
      if (next === undefined) lanes.delete(key);
      else begin(key, next);
    };
    void settle();
    return running;
  }

  return {
    run: async (key, signal, work) => {
      signal?.throwIfAborted();
      return place(key, work).join(signal);
    },
  };
}

function share<T>(work: Work<T>, after: Promise<void>): Shared<T> {
  const stop = new AbortController();
  let waiting = 0;
  const result = after.then(() => {
    stop.signal.throwIfAborted();
    return work(stop.signal);
  });
  const settled = result.then(
    () => undefined,
    () => undefined,
  );
  return {
    settled,
    join(signal) {
      waiting += 1;
      if (signal === undefined) return result;
      return new Promise<T>((resolve, reject) => {
        const giveUp = (): void => {
          waiting -= 1;
          if (waiting === 0) stop.abort(signal.reason);
          reject(signal.reason);
        };
        signal.addEventListener('abort', giveUp, { once: true });
        void result.then(resolve, reject);
        void settled.then(() => signal.removeEventListener('abort', giveUp));
      });
    },
  };
}
