import { expect, test } from 'vitest';
import { keepLookups, type Address } from './kept-lookup.ts';

function recorded(answer: (host: string) => Promise<readonly Address[]>) {
  const asked: string[] = [];
  let nowMs = 0;
  const lookup = keepLookups(
    (host) => {
      asked.push(host);
      return answer(host);
    },
    () => nowMs,
  );
  return { asked, lookup, later: (ms: number) => (nowMs += ms) };
}

const one = [{ address: '192.0.2.1', family: 4 }];

test('one lookup serves all who ask for a name within half a minute', async () => {
  const first = Promise.withResolvers<readonly Address[]>();
  const { asked, lookup, later } = recorded(() => first.promise);
  const waiting = [lookup('files.test'), lookup('files.test')];
  later(60_000);
  waiting.push(lookup('files.test'));
  first.resolve(one);
  expect(await Promise.all(waiting)).toEqual([one, one, one]);
  later(29_999);
  expect(await lookup('files.test')).toEqual(one);
  expect(asked).toEqual(['files.test']);
  later(1);
  await lookup('files.test');
  expect(asked).toEqual(['files.test', 'files.test']);
});

test('a failure is told to all who wait, and not kept', async () => {
  let isDown = true;
  const { asked, lookup } = recorded(async () => {
    if (isDown) throw new Error('no answer');
    return one;
  });
  const both = await Promise.allSettled([lookup('files.test'), lookup('files.test')]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isDown = false;
  expect(await lookup('files.test')).toEqual(one);
  expect(asked).toHaveLength(2);
});

test('a bounded number of names is kept', async () => {
  const { asked, lookup } = recorded(async () => one);
  for (let number = 0; number < 10_000; number += 1) await lookup(`host-${number}.test`);
  await lookup('host-9999.test');
  expect(asked).toHaveLength(10_000);
  await lookup('host-0.test');
  expect(asked).toHaveLength(10_001);
});
