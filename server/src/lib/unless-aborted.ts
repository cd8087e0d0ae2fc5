/**
 * Resolves as `work` does; rejects with the signal's reason as soon as it is aborted. `work` itself goes on, and its later failure
 * is ignored.
 */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  work.catch(() => undefined);
  signal.throwIfAborted();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
