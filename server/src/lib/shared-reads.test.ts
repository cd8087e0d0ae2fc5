import { describe, expect, test } from 'vitest';
import { createSharedRead } from './shared-reads.ts';

describe('a shared read', () => {
  test('is one for all who ask before it begins, and another one for each key and database', async () => {
    const share = createSharedRead<number>();
    const [db, other] = [{}, {}];
    let reads = 0;
    const read = async (): Promise<number> => (reads += 1);
    const asked = [share(db, 'a', read), share(db, 'a', read), share(db, 'b', read), share(other, 'a', read)];
    expect(await Promise.all(asked)).toEqual([1, 1, 2, 3]);
  });

  test('is not joined once it has begun: what changed meanwhile would be missed', async () => {
    const share = createSharedRead<string>();
    const db = {};
    const begun = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<string>();
    const first = share(db, 'a', () => {
      begun.resolve();
      return answer.promise;
    });
    await begun.promise;
    expect(await share(db, 'a', async () => 'new')).toBe('new');
    answer.resolve('old');
    expect(await first).toBe('old');
  });

  test('that fails fails for all who asked, and the next one is tried', async () => {
    const share = createSharedRead<string>();
    const db = {};
    const fail = async (): Promise<string> => {
      throw new Error('away');
    };
    expect(await Promise.allSettled([share(db, 'a', fail), share(db, 'a', fail)])).toMatchObject([
      { reason: { message: 'away' } },
      { reason: { message: 'away' } },
    ]);
    expect(await share(db, 'a', async () => 'back')).toBe('back');
  });
});
