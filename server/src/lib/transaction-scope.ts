import { AsyncLocalStorage } from 'node:async_hooks';

const scope = new AsyncLocalStorage<{ isOpen: boolean }>();

/** Runs what a database transaction does, so that {@link refuseInTransaction} knows of it until it ends. */
export function inTransaction<T>(body: () => Promise<T>): Promise<T> {
  const transaction = { isOpen: true };
  return scope.run(transaction, async () => {
    try {
      return await body();
    } finally {
      // What it started and left running is not in it any more.
      transaction.isOpen = false;
    }
  });
}

/** Throws inside a transaction: what waits there holds locks, and loses the transaction when it waits too long. */
export function refuseInTransaction(what: string): void {
  if (scope.getStore()?.isOpen === true)
    throw new Error(`${what} inside a database transaction: do it before, record the result after.`);
}
