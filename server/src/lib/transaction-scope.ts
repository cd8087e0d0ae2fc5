import { AsyncLocalStorage } from 'node:async_hooks';

const scope = new AsyncLocalStorage<{ isOpen: boolean }>();

/** Runs the body of a database transaction, so that {@link refuseInTransaction} detects it until it ends. */
export function inTransaction<T>(body: () => Promise<T>): Promise<T> {
  const transaction = { isOpen: true };
  return scope.run(transaction, async () => {
    try {
      return await body();
    } finally {
      // Tasks that it started and left running are no longer part of it.
      transaction.isOpen = false;
    }
  });
}

/** Throws inside a transaction: waiting there holds locks, and the transaction is lost when it waits too long. */
export function refuseInTransaction(what: string): void {
  if (scope.getStore()?.isOpen === true)
    throw new Error(`${what} inside a database transaction: do it before, record the result after.`);
}
