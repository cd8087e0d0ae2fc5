/** Resolves after `ms`, or when the signal aborts. */
export function wait(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, signal?.aborted === true ? 0 : ms);
    signal?.addEventListener('abort', done);
  });
}

/**
 * Returns a delay that grows with every failure from `firstMs` to `mostMs`, randomized so that clients do not return
 * all at once.
 */
export function backoffMs(failures: number, firstMs: number, mostMs: number): number {
  return Math.min(mostMs, firstMs * 2 ** failures) * (0.5 + Math.random() / 2);
}
