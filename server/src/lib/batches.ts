/**
 * Joins items with the same key: those that arrive while a batch of theirs runs make the next one. The promise of an item
 * settles with its batch.
 */
export function createBatches<T>(
  keyOf: (item: T) => string,
  run: (items: readonly T[]) => Promise<void>,
): (item: T) => Promise<void> {
  const last = new Map<string, Promise<void>>();
  const waiting = new Map<string, T[]>();

  /** Begins a batch when the last one has ended. */
  function begin(key: string): void {
    const items: T[] = [];
    const start = (): Promise<void> => {
      waiting.delete(key);
      return run(items);
    };
    const done = (last.get(key) ?? Promise.resolve()).then(start, start);
    const forget = (): void => {
      if (last.get(key) === done) last.delete(key);
    };
    done.then(forget, forget);
    waiting.set(key, items);
    last.set(key, done);
  }

  return async (item) => {
    const key = keyOf(item);
    if (!waiting.has(key)) begin(key);
    waiting.get(key)?.push(item);
    return last.get(key);
  };
}
