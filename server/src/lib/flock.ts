import { constants } from 'node:os';
import koffi from 'koffi';

type Flock = (descriptor: number, operation: number) => unknown;

const sharedLock = 1;
const exclusiveLock = 2;
const withoutWaiting = 4;

let flock: Flock | null | undefined;

/**
 * Locks an open file without waiting (flock(2)): true if it is locked now, false if another open file holds it. Undefined if
 * this cannot be known here: the C library cannot be called, or reports another error.
 */
export function tryFlock(descriptor: number, { shared }: { shared: boolean }): boolean | undefined {
  if (flock === undefined) flock = load();
  if (flock === null) return undefined;
  if (flock(descriptor, (shared ? sharedLock : exclusiveLock) | withoutWaiting) === 0) return true;
  return koffi.errno() === constants.errno.EWOULDBLOCK ? false : undefined;
}

function load(): Flock | null {
  try {
    return koffi.load(null).func('int flock(int, int)');
  } catch {
    return null;
  }
}
