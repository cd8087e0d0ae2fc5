import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { processorsIdle } from './processors-idle.ts';

test('the wait for idle processors lasts while they are busy, and ends with its signal', async () => {
  const busy = Array.from({ length: availableParallelism() }, () => new Worker('for (;;) {}', { eval: true }));
  const stop = new AbortController();
  let isIdle = false;
  const waiting = processorsIdle(stop.signal).then(() => (isIdle = true));
  try {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(isIdle).toBe(false);
    stop.abort(new Error('The worker is stopping.'));
    await expect(waiting).rejects.toThrow('aborted');
  } finally {
    await Promise.all(busy.map((worker) => worker.terminate()));
  }
});
