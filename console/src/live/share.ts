import { networkNews, type FromTab, type NetworkNews, type ToTab } from './hub.ts';
import { followStream, type LiveOptions } from './stream.ts';

/**
 * Follows a stream together with all other tabs, by way of a worker that they share: a browser opens six connections to
 * a server without TLS, and a stream of each tab would take them all. A tab may close at any time; the others miss
 * nothing.
 */
export function shareStream(options: Omit<LiveOptions, 'line'>): void {
  const { url, onEvent, onConnection, signal } = options;
  const line = new EventTarget();
  const ownStream = () => void followStream({ ...options, line });
  watchNetwork((news) => line.dispatchEvent(new Event(news)), signal);
  // Browsers of some phones have no workers of this kind.
  if (typeof SharedWorker === 'undefined') {
    ownStream();
    return;
  }
  const worker = new SharedWorker(new URL('stream-worker.ts', import.meta.url), { type: 'module' });
  const { port } = worker;
  const say = (message: FromTab) => port.postMessage(message);
  const follow = () => say({ kind: 'follow', url });
  const leave = () => say({ kind: 'leave' });
  worker.addEventListener('error', ownStream, { signal, once: true });
  port.onmessage = ({ data }: MessageEvent<ToTab>) => {
    if (signal.aborted) return;
    if (data.kind === 'event') onEvent(data.event);
    else onConnection(data.isOpen);
  };
  for (const news of networkNews) line.addEventListener(news, () => say({ kind: 'line', is: news }), { signal });
  addEventListener('pagehide', leave, { signal });
  // A page that comes back as it was has missed what happened since.
  addEventListener('pageshow', ({ persisted }) => persisted && follow(), { signal });
  signal.addEventListener('abort', () => {
    leave();
    port.close();
  });
  follow();
}

/** Tells what the browser learns of the network, and when a person comes back to the page. */
function watchNetwork(tell: (news: NetworkNews) => void, signal: AbortSignal): void {
  addEventListener('online', () => tell('online'), { signal });
  addEventListener('offline', () => tell('offline'), { signal });
  document.addEventListener('visibilitychange', () => !document.hidden && tell('seen'), { signal });
}
