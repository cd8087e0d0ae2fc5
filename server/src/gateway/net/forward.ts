import type {
  ClientRequest,
  IncomingHttpHeaders,
  IncomingMessage,
  OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { DialError, EgressRefused } from './dial.ts';

/** A request and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The maximum silence of either side in milliseconds. Git and package hosts may compute for minutes before the first byte. */
export const idleTimeoutMs = 600_000;

/** RFC 9110 7.6.1, and headers meant for a proxy only. */
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
 * Returns the headers to forward: drops hop-by-hop headers and those that `connection` names. Keeps a body's length, without
 * which the body would be parsed as another request.
 */
export function endToEndHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  named.delete('content-length');
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name) && !named.has(name)));
}

export function pickHeaders(headers: IncomingHttpHeaders, names: readonly string[]): OutgoingHttpHeaders {
  return Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));
}

/**
 * Returns true if a request has a body. Its framing must be repeated upstream, or the body would be parsed as another request.
 */
export function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || (request.headers['content-length'] ?? '0') !== '0';
}

/** Sends one line of text, which git shows to its user as `remote: …`. */
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

/** Sends the error response for a failed upstream request. `name` is the name of the upstream. */
export function answerFailure(response: ServerResponse, error: unknown, name: string): void {
  if (error instanceof EgressRefused) {
    answerText(response, 403, error.message, { 'x-guildhall-refused': error.reason });
  } else if (error instanceof DialError) {
    answerText(response, 502, error.message);
  } else {
    answerText(response, 502, `${name} could not be reached, or the connection broke.`);
  }
}

/**
 * Sends a request with its body and returns the response's head. Aborts the upstream request when the client disconnects; keeps
 * the client's connection usable when the upstream fails. Rejects with the socket's error.
 */
export function sendUpstream(
  { response }: Exchange,
  upstream: ClientRequest,
  body: Readable | undefined,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  upstream.once('response', resolve);
  upstream.on('error', reject);
  upstream.setTimeout(idleTimeoutMs, () => upstream.destroy(new Error('The upstream was silent for too long.')));
  const abandon = (): void => {
    if (!response.writableFinished) upstream.destroy(new Error('The client disconnected.'));
  };
  if (response.destroyed) abandon();
  response.once('close', abandon);
  upstream.once('close', () => response.off('close', abandon));
  if (body === undefined) upstream.end();
  else feed(body, upstream);
  return promise;
}

/** Pipes without destroying the source when the sink fails, as `pipeline` would: that would close the client's connection. */
function feed(source: Readable, sink: ClientRequest): void {
  source.pipe(sink);
  source.once('error', (error) => sink.destroy(error));
  source.once('close', () => {
    if (!source.readableEnded) sink.destroy(new Error('The request body ended early.'));
  });
  sink.once('close', () => {
    source.unpipe(sink);
    source.resume();
  });
}

/** Streams an upstream's response through `transforms` to the client; settles when it is complete or broken. */
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
