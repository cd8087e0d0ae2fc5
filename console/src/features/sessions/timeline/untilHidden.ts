const graceMs = 60_000;

/**
 * Yields a signal for each time in which the page is seen, or was until a minute ago: it aborts when the page has been
 * hidden for that long, and at once when the browser is online again, since a waiting reconnection is then too slow.
 */
export async function* untilHidden(stop: AbortSignal): AsyncGenerator<AbortSignal, void> {
  while (!stop.aborted) {
    await untilVisible(stop);
    if (stop.aborted) return;
    const over = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = () => over.abort();
    const watch = () => {
      clearTimeout(timer);
      if (document.hidden) timer = setTimeout(end, graceMs);
    };
    document.addEventListener('visibilitychange', watch);
    addEventListener('online', end);
    stop.addEventListener('abort', end);
    try {
      watch();
      yield over.signal;
    } finally {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', watch);
      removeEventListener('online', end);
      stop.removeEventListener('abort', end);
      over.abort();
    }
  }
}

function untilVisible(stop: AbortSignal): Promise<void> {
  if (!document.hidden) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const check = () => {
    if (!document.hidden || stop.aborted) resolve();
  };
  document.addEventListener('visibilitychange', check);
  stop.addEventListener('abort', check);
  return promise.finally(() => {
    document.removeEventListener('visibilitychange', check);
    stop.removeEventListener('abort', check);
  });
}
