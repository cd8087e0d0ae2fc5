import type {
  ClientRequest,
  IncomingHttpHeaders,
  IncomingMessage,
  OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { DialError, EgressRefused } from './dial.ts';

/** Where a request came from and where its answer goes. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** How long either side may say nothing. Git and package hosts compute for minutes before the first byte. */
export const idleTimeoutMs = 600_000;

/** RFC 9110 7.6.1, and what speaks to a proxy and not to the server behind it. */
const hopByHop = new Set([
  'connection',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * The headers that go on to the next server: hop-by-hop ones, and those that `connection` names, stay behind. Not the
 * length of a body, without which it would read as a next request.
 */
export function endToEndHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  named.delete('content-length');
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name) && !named.has(name)));
}

export function pickHeaders(headers: IncomingHttpHeaders, names: readonly string[]): OutgoingHttpHeaders {
  return Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));
}

/** Whether a request carries a body; its framing must be repeated upstream, or the body would read as a next request. */
export function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || (request.headers['content-length'] ?? '0') !== '0';
}

/** Answers with one line of text, which git shows to its user as `remote: …`. */
export function answerText(
  response: ServerResponse,
  status: number,
  message: string,
  headers: OutgoingHttpHeaders = {},
): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const body = `${message}\n`;
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(body);
}

/** Answers a failure on the way to an upstream. `name` says to the caller what could not be reached. */
export function answerFailure(response: ServerResponse, error: unknown, name: string): void {
  if (error instanceof EgressRefused) {
    answerText(response, 403, error.message, { 'x-guildhall-refused': error.reason });
  } else if (error instanceof DialError) {
    answerText(response, 502, error.message);
  } else {
    answerText(response, 502, `${name} could not be reached or broke off.`);
  }
}

/**
 * Sends a request with its body and answers the response's head. The client going away ends the upstream request;
 * the upstream failing leaves the client's connection usable for an answer. Rejects with what the socket reported.
 */
export function sendUpstream(
  { response }: Exchange,
  upstream: ClientRequest,
  body: Readable | undefined,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  upstream.once('response', resolve);
  upstream.on('error', reject);
  upstream.setTimeout(idleTimeoutMs, () => upstream.destroy(new Error('the upstream said nothing for too long')));
  const abandon = (): void => {
    if (!response.writableFinished) upstream.destroy(new Error('the client went away'));
  };
  if (response.destroyed) abandon();
  response.once('close', abandon);
  upstream.once('close', () => response.off('close', abandon));
  if (body === undefined) upstream.end();
  else feed(body, upstream);
  return promise;
}

/** Unlike `pipeline`, a sink that fails does not destroy the source: that would cut the client's connection. */
function feed(source: Readable, sink: ClientRequest): void {
  source.pipe(sink);
  source.once('error', (error) => sink.destroy(error));
  source.once('close', () => {
    if (!source.readableEnded) sink.destroy(new Error('the body broke off'));
  });
  sink.once('close', () => {
    source.unpipe(sink);
    source.resume();
  });
}

/** Streams an upstream's response to the client, changed by `transforms`; settles when it is through or cut off. */
export function relay(
  { response }: Exchange,
  upstream: IncomingMessage,
  head: { status: number; headers: OutgoingHttpHeaders },
  transforms: readonly Transform[] = [],
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (response.destroyed) {
    upstream.destroy();
    return Promise.resolve();
  }
  response.writeHead(head.status, head.headers);
  response.flushHeaders();
  pipeline([upstream, ...transforms, response], () => resolve());
  return promise;
}
