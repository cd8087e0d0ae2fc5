import { once } from 'node:events';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { pickHeaders } from '../net/forward.ts';
import { KeyMask } from './mask.ts';
import type { TokenCount } from './prices.ts';
import type { WireFormat } from './path.ts';
import { createUsageMeter } from './usage.ts';

/** The settlement of a call's reservation; only the first call counts. */
export interface Settlement {
  /** `undefined`: nothing was used. */
  settle(count: TokenCount | undefined): Promise<void>;
}

export interface AnsweredCall {
  /** The provider's name. */
  readonly provider: string;
  /** The secret to remove from responses, or `''`. */
  readonly key: string;
  readonly format: WireFormat;
  readonly stream: boolean;
  /** An estimate. */
  readonly inputTokens: number;
  /** Aborts when the client disconnects or the endpoint closes. */
  readonly gone: AbortSignal;
}

/** Sends an error in a shape that the clients of all providers can parse. */
export function answerModelError(
  response: ServerResponse,
  status: number,
  type: string,
  message: string,
  headers: OutgoingHttpHeaders = {},
): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const body = JSON.stringify({ type: 'error', error: { type, message, code: status, status: type } });
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(body);
}

const answerHeaders = [
  'cache-control',
  'content-type',
  'request-id',
  'retry-after',
  'retry-after-ms',
  'x-request-id',
  'x-should-retry',
];
/** The maximum number of bytes of an error body that are passed on. */
const maxErrorBytes = 16 * 1024;

/** Relays a provider's response and settles its usage before the client can see its end. */
export async function relayAnswer(
  response: ServerResponse,
  answer: IncomingMessage,
  call: AnsweredCall,
  settlement: Settlement,
): Promise<void> {
  const status = answer.statusCode ?? 502;
  if (status === 200 && answer.headers['content-encoding'] === undefined)
    return relayStream(response, answer, call, settlement);
  const problem = problemOf(status, call.provider);
  const body = problem === undefined ? await readHead(answer, call.key) : undefined;
  answer.destroy();
  await settlement.settle(undefined);
  if (problem !== undefined)
    answerModelError(response, 502, 'api_error', problem, {
      'x-should-retry': 'false',
      'x-guildhall-provider-status': String(status),
    });
  else if (!response.destroyed) response.writeHead(status, pickHeaders(answer.headers, answerHeaders)).end(body);
}

/** Returns a message that replaces an error that only the operator can fix; undefined for a response to pass on. */
function problemOf(status: number, provider: string): string | undefined {
  if (status === 401 || status === 403)
    return `The provider ${provider} rejected the configured API key. Ask an administrator to replace it.`;
  if (status >= 300 && status < 400)
    return `The provider ${provider} redirects. Redirects are not followed: correct its configured URL.`;
  if (status < 400) return `The provider ${provider} sent an invalid response.`;
  return undefined;
}

async function readHead(answer: IncomingMessage, key: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of chunksOf(answer)) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= maxErrorBytes) break;
    }
  } catch {
    // The result of the call says more than the broken connection.
  }
  const mask = new KeyMask(key);
  const head = mask.push(Buffer.concat(chunks));
  // The cut could split the key, and the mask would miss its beginning.
  return Buffer.concat(size >= maxErrorBytes ? [head] : [head, mask.end()]).subarray(0, maxErrorBytes);
}

async function relayStream(
  response: ServerResponse,
  answer: IncomingMessage,
  { key, format, stream, inputTokens, gone }: AnsweredCall,
  settlement: Settlement,
): Promise<void> {
  const mask = new KeyMask(key);
  const meter = createUsageMeter(format, answer.headers['content-type'] ?? '', stream);
  // Omits content-length, by which the client could see the end of the response before the usage is settled.
  response.writeHead(200, pickHeaders(answer.headers, answerHeaders));
  response.flushHeaders();
  try {
    for await (const chunk of chunksOf(answer)) {
      await meter.push(chunk);
      // Its last event completes the response, for a client that does not wait for the connection to close.
      if (meter.complete) await settlement.settle(await meter.read(true, inputTokens));
      const passed = mask.push(chunk);
      if (passed.length > 0 && !response.write(passed)) await once(response, 'drain', { signal: gone });
    }
    await settlement.settle(await meter.read(true, inputTokens));
    response.end(mask.end());
  } catch {
    answer.destroy();
    await settlement.settle(await meter.read(false, inputTokens));
    response.destroy();
  }
}

async function* chunksOf(answer: IncomingMessage): AsyncGenerator<Buffer> {
  for await (const chunk of answer) if (Buffer.isBuffer(chunk)) yield chunk;
}
