import type { Pool } from 'pg';

const stuckMs = 50;

/**
 * Lets a pool use more than `usual` connections only while those are stuck: statements wait, and for 50 ms no connection
 * came back. Each connection parses and plans every statement for itself, so a few do the same work in less time.
 */
export function growWhenStuck(pool: Pool, usual: number): void {
  const { connect } = pool;
  const { max } = pool.options;
  const waiting: (() => void)[] = [];
  let limit = usual;
  let cameBack = false;
  let timer: NodeJS.Timeout | undefined;
  const used = (): number => pool.totalCount - pool.idleCount + pool.waitingCount;
  // The pool has its own queue, with a time limit.
  const isFree = (): boolean => used() < limit || limit === max;

  const serve = (): void => {
    while (waiting.length > 0 && isFree()) waiting.shift()?.();
    if (waiting.length === 0 || timer !== undefined) return;
    cameBack = false;
    // A busy process may not have noticed yet what came back.
    timer = setTimeout(() => setImmediate(look), stuckMs);
  };
  const look = (): void => {
    timer = undefined;
    if (!cameBack && limit < max) limit += 1;
    serve();
  };
  pool.on('release', () => {
    cameBack = true;
    // The pool counts a connection as idle only after this event.
    process.nextTick(() => {
      if (used() < usual) limit = usual;
      serve();
    });
  });
  const connectInTurn = (...given: unknown[]): unknown => {
    const connectNow = (): unknown => Reflect.apply(connect, pool, given);
    if (waiting.length === 0 && isFree()) return connectNow();
    return new Promise((resolve) => {
      waiting.push(() => resolve(connectNow()));
      serve();
    });
  };
  Reflect.set(pool, 'connect', connectInTurn);
}
