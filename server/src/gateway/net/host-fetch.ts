import type { IncomingMessage } from 'node:http';
import { AnswerTooLarge, type HostFetch, type HostRequest } from '../../adapters/source-control/connection.ts';
import type { EgressRule } from '../../config/config.ts';
import { ProviderError } from '../../lib/errors.ts';
import { checkUrl, createDialer, DialError, EgressRefused, type Dialer, type Lookup } from './dial.ts';
import { responseOf, unless, withoutPublic } from './outgoing.ts';

/** Limits the whole exchange, from the lookup of the name to the end of the last response. */
const timeoutMs = 20_000;
const maxBodyBytes = 32 * 1_024 * 1_024;
const maxRedirects = 5;

/** Calls git hosts at public addresses, and at those that the operator allows for `git`. */
export function createHostFetch(options: { egressAllow: readonly EgressRule[]; lookup?: Lookup }): HostFetch {
  const dialer = createDialer(options);
  return async (address, request = {}) => {
    const url = URL.parse(address);
    if (url === null || !['http:', 'https:'].includes(url.protocol))
      throw new ProviderError('The address of a git host must be an http or https URL.', { retryable: false });
    const limit = AbortSignal.timeout(timeoutMs);
    const over = request.signal === undefined ? limit : AbortSignal.any([request.signal, limit]);
    try {
      return await follow(dialer, url, request, over);
    } catch (error) {
      throw failure(url, error, limit.aborted);
    }
  };
}

async function follow(dialer: Dialer, start: URL, request: HostRequest, over: AbortSignal): Promise<Response> {
  let url = start;
  for (let redirects = 0; ; redirects += 1) {
    const response = await exchange(dialer, url, request, over);
    const next = redirectOf(url, request, response);
    if (next === undefined) return response;
    if (redirects === maxRedirects)
      throw new ProviderError(`${url.host} redirects more than ${maxRedirects} times.`, { retryable: false });
    url = next;
  }
}

/** Returns the URL to continue at; undefined for the final response. */
function redirectOf(url: URL, { method = 'GET' }: HostRequest, response: Response): URL | undefined {
  const isRepeatable =
    [307, 308].includes(response.status) || ([301, 302].includes(response.status) && method === 'GET');
  const next = isRepeatable ? URL.parse(response.headers.get('location') ?? '', url.href) : null;
  return next?.origin === url.origin ? next : undefined;
}

async function exchange(dialer: Dialer, url: URL, input: HostRequest, over: AbortSignal): Promise<Response> {
  const checked = await unless(over, checkUrl(dialer, url, 'git'));
  const target = url.protocol === 'http:' ? withoutPublic(checked) : checked;
  const body = input.body === undefined ? undefined : Buffer.from(input.body);
  const request = dialer.request(url, target, {
    method: input.method ?? 'GET',
    headers: {
      'accept-encoding': 'identity',
      ...input.headers,
      ...(body === undefined ? {} : { 'content-length': String(body.length) }),
    },
  });
  const abort = (): void => void request.destroy();
  over.addEventListener('abort', abort, { once: true });
  try {
    over.throwIfAborted();
    const answered = responseOf(request);
    request.end(body);
    const response = await answered;
    return toResponse(response, await bodyOf(url, response, input.tailBytes));
  } finally {
    over.removeEventListener('abort', abort);
    request.destroy();
  }
}

/** Reads a body, or with `tailBytes` its last ones. */
async function bodyOf(url: URL, response: IncomingMessage, tailBytes?: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    if (!Buffer.isBuffer(chunk)) continue;
    length += chunk.length;
    chunks.push(chunk);
    if (tailBytes !== undefined)
      for (; length - (chunks[0]?.length ?? 0) >= tailBytes && chunks.length > 1;)
        length -= chunks.shift()?.length ?? 0;
    else if (length > maxBodyBytes)
      throw new AnswerTooLarge(`${url.host} responded with more than ${maxBodyBytes} bytes.`);
  }
  const body = Buffer.concat(chunks);
  return tailBytes === undefined ? body : body.subarray(Math.max(body.length - tailBytes, 0));
}

function toResponse({ statusCode = 502, headersDistinct }: IncomingMessage, body: Buffer<ArrayBuffer>): Response {
  const headers = new Headers();
  for (const [name, values] of Object.entries(headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  const hasBody = ![204, 205, 304].includes(statusCode);
  return new Response(hasBody ? body : null, { status: statusCode, headers });
}

function failure(url: URL, error: unknown, isLate: boolean): ProviderError {
  if (error instanceof ProviderError) return error;
  if (isLate)
    return new ProviderError(`${url.host} did not answer within ${timeoutMs / 1_000} s.`, { retryable: true });
  if (error instanceof EgressRefused)
    return new ProviderError(`${error.message} An operator can allow it in GUILDHALL_EGRESS_ALLOW for git.`, {
      retryable: false,
      cause: error,
    });
  if (error instanceof DialError) return new ProviderError(error.message, { retryable: true, cause: error });
  return new ProviderError(`${url.host} could not be reached.`, { retryable: true, cause: error });
}
