import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface Sent {
  method: string;
  /** With `unix:` in front of the path of a socket and `|`, one that is behind it. */
  url: string;
  headers?: Record<string, string>;
  /** A proxy's base URL: `url` is asked of that, and is whatever stands in the request's first line. */
  via?: string;
  body?: Uint8Array | string | undefined;
}

/** Sends requests from a thread of its own: what it does is not taken for what the server does. */
export interface Client {
  /** The answer's status; 0 when the connection was cut. */
  send(request: Sent): Promise<number>;
  close(): Promise<void>;
}

export async function startClient(): Promise<Client> {
  const worker = new Worker(new URL('client-thread.ts', import.meta.url), { execArgv: [] });
  await once(worker, 'online');
  const waiting = new Map<number, (status: number) => void>();
  worker.on('message', ({ id, status }: { id: number; status: number }) => {
    waiting.get(id)?.(status);
    waiting.delete(id);
  });
  let last = 0;
  return {
    send(request) {
      const { promise, resolve } = Promise.withResolvers<number>();
      last += 1;
      waiting.set(last, resolve);
      worker.postMessage({ id: last, ...request });
      return promise;
    },
    close: async () => void (await worker.terminate()),
  };
}

/** What was sent was taken whole, or the case would show nothing. */
export async function accepted(answer: Promise<number>): Promise<void> {
  const status = await answer;
  if ([0, 413, 415, 500].includes(status)) throw new Error(`answered ${status}`);
}
