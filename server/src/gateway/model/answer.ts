import { once } from 'node:events';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { pickHeaders } from '../net/forward.ts';
import { KeyMask } from './mask.ts';
import type { TokenCount } from './prices.ts';
import type { WireFormat } from './path.ts';
import { createUsageMeter } from './usage.ts';

/** What was reserved for a call is settled once, by whoever comes first. */
export interface Settlement {
  /** Undefined: nothing was used. */
  settle(count: TokenCount | undefined): Promise<void>;
}

export interface AnsweredCall {
  /** Its name. */
  readonly provider: string;
  /** What must not come back, or `''`. */
  readonly key: string;
  readonly format: WireFormat;
  readonly stream: boolean;
  /** The estimate. */
  readonly inputTokens: number;
  /** Aborts when the client goes away or the door closes. */
  readonly gone: AbortSignal;
}

/** In a shape that the clients of all providers read. */
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
/** As much of an error's body as is passed on. */
const maxErrorBytes = 16 * 1024;

/** Passes a provider's answer on and settles what it used before the client can know that it is over. */
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

/** What is said instead of an answer that helps nobody but the operator; undefined for one that is passed on. */
function problemOf(status: number, provider: string): string | undefined {
  if (status === 401 || status === 403)
    return `The provider ${provider} refused the configured key: whoever configured it has to look at it.`;
  if (status >= 300 && status < 400)
    return `The provider ${provider} redirects; redirects are not followed: correct its configured URL.`;
  if (status < 400) return `The provider ${provider} answered in a way that is not understood.`;
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
    // What came of it says more than that it broke off.
  }
  const mask = new KeyMask(key);
  const head = mask.push(Buffer.concat(chunks));
  // A beginning of the key at the cut would be told otherwise.
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
  // No content-length: the client would know the end by it, before the usage is settled.
  response.writeHead(200, pickHeaders(answer.headers, answerHeaders));
  response.flushHeaders();
  try {
    for await (const chunk of chunksOf(answer)) {
      await meter.push(chunk);
      // The event that says so is the end, for a client that does not wait for the connection's.
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
