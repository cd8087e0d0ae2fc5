/** Shares a read of a database between everyone who asks for it before it begins; `key` tells reads apart. */
type SharedRead<T> = (db: object, key: string, read: () => Promise<T>) => Promise<T>;

/**
 * Shares reads between callers that something woke together, such as the streams of a session. A read begins after all
 * that this turn of the event loop woke have asked, so nobody gets a state from before its question.
 */
export function createSharedRead<T>(): SharedRead<T> {
  const asked = new WeakMap<object, Map<string, Promise<T>>>();
  return (db, key, read) => {
    const reads = asked.get(db) ?? new Map<string, Promise<T>>();
    asked.set(db, reads);
    const known = reads.get(key);
    if (known !== undefined) return known;
    const reading = (async () => {
      await new Promise((resolve) => void setImmediate(resolve));
      reads.delete(key);
      return read();
    })();
    reads.set(key, reading);
    return reading;
  };
}
