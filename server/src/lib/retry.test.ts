import { expect, test } from 'vitest';
import { backoffMs, retry } from './retry.ts';

test('runs until it succeeds, and tells each run how many failed before it', async () => {
  const runs: number[] = [];
  const result = await retry(
    async (failures) => {
      runs.push(failures);
      if (failures < 3) throw new Error(`failure ${failures + 1}`);
      return 'done';
    },
    () => 0,
  );
  expect([result, runs]).toEqual(['done', [0, 1, 2, 3]]);
});

test('throws the failure that has no delay', async () => {
  const failing = async (failures: number) => Promise.reject(new Error(`failure ${failures + 1}`));
  await expect(retry(failing, (_, failures) => (failures < 3 ? 0 : undefined))).rejects.toThrow('failure 3');
});

test('an aborted signal ends a wait', async () => {
  const stopping = new AbortController();
  const failing = async () => Promise.reject(new Error('failure'));
  const waiting = retry(failing, () => 60_000, stopping.signal);
  stopping.abort(new Error('stopped'));
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError', cause: { message: 'stopped' } });
});

test('a delay doubles up to its maximum, less a random half', () => {
  for (const [failures, most] of [
    [1, 100],
    [3, 400],
    [60, 1_000],
  ] as const) {
    const ms = backoffMs(failures, { firstMs: 100, maxMs: 1_000 });
    expect(ms).toBeGreaterThanOrEqual(most / 2);
    expect(ms).toBeLessThanOrEqual(most);
  }
});
