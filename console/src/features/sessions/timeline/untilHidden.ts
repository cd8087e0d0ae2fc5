const graceMs = 60_000;

/** What tabs with a log tell each other: `seen` that a person looks at them, `hidden` that they no longer do. */
const channel = 'guildhall-seen';

/**
 * Yields a signal for each time in which the page is seen, or was until a minute ago. It aborts when the page has been
 * hidden for that long, or at once if another tab with a log is seen: a browser has six connections to a server. It
 * also aborts when the browser goes online or offline, which a connection may not survive without anybody noticing.
 */
export async function* untilHidden(stop: AbortSignal): AsyncGenerator<AbortSignal, void> {
  while (!stop.aborted) {
    await untilVisible(stop);
    if (stop.aborted) return;
    const over = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = () => over.abort();
    const others = new BroadcastChannel(channel);
    others.onmessage = ({ data }) => {
      if (data === 'seen' && document.hidden) end();
      if (data === 'hidden' && !document.hidden) others.postMessage('seen');
    };
    const watch = () => {
      clearTimeout(timer);
      others.postMessage(document.hidden ? 'hidden' : 'seen');
      if (document.hidden) timer = setTimeout(end, graceMs);
    };
    document.addEventListener('visibilitychange', watch);
    addEventListener('online', end);
    addEventListener('offline', end);
    stop.addEventListener('abort', end);
    try {
      watch();
      yield over.signal;
    } finally {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', watch);
      removeEventListener('online', end);
      removeEventListener('offline', end);
      stop.removeEventListener('abort', end);
      others.close();
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
