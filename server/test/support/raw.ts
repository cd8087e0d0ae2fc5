import { request, type IncomingHttpHeaders } from 'node:http';
import type { TestApi } from './api.ts';

export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

/** Sends a request with exactly these headers, and returns the body as received: `fetch` would decompress it. */
export async function sendRaw(
  api: TestApi,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: object,
): Promise<RawAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  const outgoing = request(`${api.url}${path}`, { method, headers }, (answer) => {
    const { statusCode: status = 0 } = answer;
    answer.toArray().then((parts) => resolve({ status, headers: answer.headers, bytes: Buffer.concat(parts) }), reject);
  });
  outgoing.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}
