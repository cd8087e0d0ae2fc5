import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createBatches } from './batches.ts';

test('what arrives while a batch of its key runs is the next one, and one that fails fails alone', async () => {
  const ran: string[] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  const add = createBatches<string>(
    ([key = '']) => key,
    (items) => {
      const end = Promise.withResolvers<void>();
      ran.push(items.join(' '));
      ends.push(end);
      return end.promise;
    },
  );
  const [first, other] = [add('a1'), add('b1')];
  await turn();
  const second = Promise.allSettled([add('a2'), add('a3')]);
  await turn();
  expect(ran).toEqual(['a1', 'b1']);
  ends[0]?.resolve();
  await first;
  await turn();
  expect(ran).toEqual(['a1', 'b1', 'a2 a3']);
  const third = add('a4');
  ends[2]?.reject(new Error('not written'));
  expect((await second).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await turn();
  ends[3]?.resolve();
  ends[1]?.resolve();
  await Promise.all([third, other]);
  expect(ran.at(-1)).toBe('a4');
});
