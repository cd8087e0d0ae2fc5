import { expect, test } from 'vitest';
import { AppError } from './errors.ts';
import { createSemaphore, createSemaphores, type NoTurn } from './semaphore.ts';

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
  expect(begun).toEqual([0, 1, 2, 3, 4]);
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
  expect(await semaphore.run(async () => 'fourth')).toBe('fourth');
});

test('each key has turns of its own', async () => {
  const semaphores = createSemaphores({ each: 1, total: 9, waiting: 0 }, full);
  const gate = Promise.withResolvers<void>();
  const first = semaphores.run('a', () => gate.promise);
  await expect(semaphores.run('a', async () => 'more')).rejects.toThrow('Full.');
  expect(await semaphores.run('b', async () => 'other')).toBe('other');
  gate.resolve();
  await first;
  expect(await semaphores.run('a', async () => 'again')).toBe('again');
});

test('all keys have so many turns together, and each that is free goes to the key with the fewest', async () => {
  const semaphores = createSemaphores({ each: 2, total: 3, waiting: 10 }, full);
  const begun: string[] = [];
  const gates = new Map<string, () => void>();
  const start = (key: string, name: string) =>
    semaphores.run(key, () => {
      begun.push(name);
      const { promise, resolve } = Promise.withResolvers<void>();
      gates.set(name, resolve);
      return promise;
    });
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1', 'c2'].map((name) => start(name.charAt(0), name));
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  const end = async (name: string): Promise<void> => {
    gates.get(name)?.();
    await all[['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1', 'c2'].indexOf(name)];
  };
  await end('a1');
  expect(begun.slice(3)).toEqual(['c1']);
  await end('a2');
  expect(begun.slice(4)).toEqual(['a3']);
  await end('b1');
  expect(begun.slice(5)).toEqual(['b2']);
  await end('b2');
  await end('c1');
  expect(begun.slice(6).sort()).toEqual(['a4', 'c2']);
  for (const name of ['a3', 'a4', 'c2']) await end(name);
  expect(await semaphores.run('a', async () => 'again')).toBe('again');
});

test('who waits too long is told whether others have the turns, and takes none', async () => {
  const whys: NoTurn[] = [];
  const semaphores = createSemaphores({ each: 1, total: 2, waiting: 1, maxWaitMs: 1 }, (why) => {
    whys.push(why);
    return full();
  });
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const running = ['a', 'b'].map((key, index) => semaphores.run(key, async () => gates[index]?.promise));
  const unserved = async (): Promise<never> => {
    throw new Error('a turn too many');
  };
  await expect(semaphores.run('a', unserved)).rejects.toThrow('Full.');
  await expect(semaphores.run('c', unserved)).rejects.toThrow('Full.');
  const waiting = semaphores.run('c', unserved);
  await expect(semaphores.run('c', unserved)).rejects.toThrow('Full.');
  await expect(waiting).rejects.toThrow('Full.');
  expect(whys).toEqual(['own', 'others', 'full', 'others']);
  for (const { resolve } of gates) resolve();
  await Promise.all(running);
  expect(await semaphores.run('c', async () => 'at last')).toBe('at last');
});
