import { expect, test } from 'vitest';
import { AppError } from './errors.ts';
import { createSemaphore, createSemaphores } from './semaphore.ts';

const full = (): AppError => new AppError('capacity_unavailable', 'Full.');

test('so many run at once, the others in the order in which they came, also after a failure', async () => {
  const semaphore = createSemaphore(2, 10, full);
  const begun: number[] = [];
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const all = gates.map(({ promise }, index) =>
    semaphore.run(async () => {
      begun.push(index);
      await promise;
      return index;
    }),
  );
  expect(begun).toEqual([0, 1]);
  gates[1]?.reject(new Error('broken'));
  await expect(all[1]).rejects.toThrow('broken');
  expect(begun).toEqual([0, 1, 2]);
  for (const { resolve } of gates) resolve();
  expect(await Promise.all(all.filter((_, index) => index !== 1))).toEqual([0, 2, 3, 4]);
  expect([begun, semaphore.isIdle]).toEqual([[0, 1, 2, 3, 4], true]);
});

test('who comes when too many wait is refused, and takes no turn', async () => {
  const semaphore = createSemaphore(1, 1, full);
  const gate = Promise.withResolvers<void>();
  const first = semaphore.run(() => gate.promise);
  const second = semaphore.run(async () => 'second');
  await expect(semaphore.run(async () => 'third')).rejects.toThrow('Full.');
  gate.resolve();
  await first;
  expect(await second).toBe('second');
  expect([await semaphore.run(async () => 'fourth'), semaphore.isIdle]).toEqual(['fourth', true]);
});

test('each key has turns of its own', async () => {
  const semaphores = createSemaphores(1, 0, full);
  const gate = Promise.withResolvers<void>();
  const first = semaphores.run('a', () => gate.promise);
  await expect(semaphores.run('a', async () => 'more')).rejects.toThrow('Full.');
  expect(await semaphores.run('b', async () => 'other')).toBe('other');
  gate.resolve();
  await first;
  expect(await semaphores.run('a', async () => 'again')).toBe('again');
});
