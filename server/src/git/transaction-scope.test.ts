import { expect, test } from 'vitest';
import { git } from './native.ts';
import { inTransaction } from '../lib/transaction-scope.ts';

test('git does not start inside a transaction, and does before, after and beside it', async () => {
  const version = () => git(['--version']);
  await version();
  const beside = Promise.withResolvers<void>();
  const started = inTransaction(async () => {
    await expect(version()).rejects.toThrow('git --version was started inside a database transaction');
    // Tasks that continue after the transaction are not part of it.
    return { later: beside.promise.then(version) };
  });
  await version();
  const { later } = await started;
  beside.resolve();
  expect((await later).exitCode).toBe(0);
});
