import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { EgressRule } from '../../config/config.ts';
import { ProviderError } from '../../lib/errors.ts';
import { authorityOf } from '../../lib/hosts.ts';
import type { OutgoingAnswer, OutgoingPost, SendOutgoing } from '../../lib/outgoing.ts';
import { checkUrl, createDialer, DialError, EgressRefused } from './dial.ts';
import type { CheckedTarget, Dialer, Lookup } from './dial.ts';
import { classifyAddress } from './egress.ts';

/** Limits the whole exchange, from the lookup of the name to the end of the response. */
const timeoutMs = 20_000;
/** The kept start of a response; the rest is not read. */
const maxBodyBytes = 4_096;

/** Sends requests for webhooks to public addresses, and to those that the operator allows for `webhook`. */
export function createOutgoing(options: { egressAllow: readonly EgressRule[]; lookup?: Lookup }): SendOutgoing {
  const dialer = createDialer(options);
  return async (post) => {
    const url = URL.parse(post.url);
    if (url === null || !['http:', 'https:'].includes(url.protocol))
      throw new ProviderError('The address must be an http or https URL.', { retryable: false });
    const limit = AbortSignal.timeout(timeoutMs);
    const over = AbortSignal.any([post.signal, limit]);
    try {
      return await exchange(dialer, url, post, over);
    } catch (error) {
      throw failure(url, error, limit.aborted);
    }
  };
}

async function exchange(dialer: Dialer, url: URL, post: OutgoingPost, over: AbortSignal): Promise<OutgoingAnswer> {
  const checked = await unless(over, checkUrl(dialer, url, 'webhook'));
  const target = post.isConfidential === true && url.protocol === 'http:' ? withoutPublic(checked) : checked;
  const body = Buffer.from(post.body);
  const headers = { ...post.headers, 'content-length': String(body.length) };
  const request = dialer.request(url, target, { method: 'POST', headers });
  const abort = (): void => void request.destroy();
  over.addEventListener('abort', abort, { once: true });
  try {
    over.throwIfAborted();
    const answered = responseOf(request);
    request.end(body);
    const response = await answered;
    return { status: response.statusCode ?? 0, body: await startOf(response) };
  } finally {
    over.removeEventListener('abort', abort);
    request.destroy();
  }
}

/** Keeps what may get a credential in clear. Throws `ProviderError` if there is none. */
export function withoutPublic(target: CheckedTarget): CheckedTarget {
  const addresses = target.addresses.filter(({ address }) => classifyAddress(address) !== 'public');
  if (addresses.length > 0) return { ...target, addresses };
  throw new ProviderError(`${authorityOf(target)} has a public address, and the request contains a token. Use https.`, {
    retryable: false,
  });
}

/** Waits for the start of a response. */
export async function responseOf(request: ClientRequest): Promise<IncomingMessage> {
  // An error after the response, for example by a receiver that resets the connection, must not end the process.
  request.on('error', () => undefined);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request.once('response', resolve);
  request.once('error', reject);
  request.once('close', () => reject(new Error('The connection was closed.')));
  return promise;
}

/** Reads the start of a body. A receiver that does not end it has answered nevertheless. */
async function startOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  const enough = new AbortController();
  response.on('data', (chunk: Buffer) => {
    if (length < maxBodyBytes) chunks.push(chunk.subarray(0, maxBodyBytes - length));
    length += chunk.length;
    if (length >= maxBodyBytes) enough.abort();
  });
  response.on('error', () => enough.abort());
  response.once('close', () => enough.abort());
  await once(response, 'end', { signal: enough.signal }).catch(() => undefined);
  response.destroy();
  // The database stores no U+0000.
  return Buffer.concat(chunks).toString('utf8').replaceAll('\0', '\u{fffd}');
}

/** Rejects when the signal aborts first. */
export async function unless<T>(over: AbortSignal, work: Promise<T>): Promise<T> {
  over.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(new Error('Aborted.'));
  over.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    over.removeEventListener('abort', abort);
  }
}

function failure(url: URL, error: unknown, isLate: boolean): ProviderError {
  if (error instanceof ProviderError) return error;
  if (isLate)
    return new ProviderError(`${url.host} did not answer within ${timeoutMs / 1_000} s.`, { retryable: true });
  if (error instanceof EgressRefused || error instanceof DialError)
    return new ProviderError(error.message, { retryable: true, cause: error });
  return new ProviderError(`${url.host} could not be reached.`, { retryable: true, cause: error });
}
