import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface Sent {
  method: string;
  /** `unix:<path>|` in front selects a server behind a socket. */
  url: string;
  headers?: Record<string, string>;
  /** A proxy's base URL: `url` is requested from it, and becomes the request target as is. */
  via?: string;
  body?: Uint8Array | string | undefined;
}

/** Sends requests from a separate thread, so that its own work is not measured as the server's. */
export interface Client {
  /** Returns the status; 0 if the connection was cut. */
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

/** Checks that the input was fully processed, because the case would otherwise show nothing. */
export async function accepted(answer: Promise<number>): Promise<void> {
  const status = await answer;
  if ([0, 413, 415, 500].includes(status)) throw new Error(`answered ${status}`);
}
