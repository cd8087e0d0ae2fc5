import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Transform, type Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, messageOf } from '../../../lib/errors.ts';
import { headersInside, headersOutside } from './preview-headers.ts';

/** One request to the server in a sandbox. */
export interface PreviewRequest {
  port: number;
  /** The path at the server, with its query. */
  path: string;
  /** The part of the caller's path before it. */
  prefix: string;
  /** A connection to the server. */
  link: Socket;
  /** Aborts when the caller may no longer use it. */
  signal: AbortSignal;
}

/** Limits of one exchange; tests use smaller ones. */
export interface PreviewLimits {
  requestBytes: number;
  responseBytes: number;
  /** Until the response's head is complete: a hostile server may send it byte by byte. */
  headMs: number;
  /** For the whole exchange, such as a stream of events, or a WebSocket. */
  exchangeMs: number;
  silentMs: number;
}

const productLimits: Readonly<PreviewLimits> = {
  requestBytes: 32 * 1024 * 1024,
  responseBytes: 256 * 1024 * 1024,
  headMs: 60_000,
  exchangeMs: 30 * 60_000,
  silentMs: 2 * 60_000,
};
const maxHeaderBytes = 16 * 1024;

/** Sends a request to the server in the sandbox, and its response to the caller. Throws 413, and 502 `upstream_error`. */
export async function proxyRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  preview: PreviewRequest,
  limits = productLimits,
): Promise<void> {
  const { port, path, prefix } = preview;
  const headers = headersInside(request.headers, port, prefix);
  if (Number(headers['content-length'] ?? 0) > limits.requestBytes) throw tooLarge(limits.requestBytes);
  const outgoing = httpRequest({ ...connectionOf(preview), method: request.method, path, headers });
  const ended = AbortSignal.any([preview.signal, AbortSignal.timeout(limits.exchangeMs)]);
  const stop = (): void => void outgoing.destroy(new Error('The exchange took too long, or was ended.'));
  ended.addEventListener('abort', stop, { once: true });
  // The caller is gone.
  reply.raw.once('close', stop);
  try {
    const answer = responseOf(outgoing, port, limits);
    // A server may answer before it has read everything.
    const sent = sendBody(request, outgoing, limits).then(() => answer);
    sent.catch(() => undefined);
    const response = await Promise.race([answer, sent]);
    reply.hijack();
    // Those of the rate limit.
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) reply.raw.setHeader(name, value);
    reply.raw.setHeader('x-request-id', request.id);
    reply.raw.writeHead(response.statusCode ?? 502, headersOutside(response.headers, port, prefix));
    await pipeline(response, limiter(limits.responseBytes), reply.raw, { signal: ended });
  } catch (error) {
    if (reply.sent) {
      // The client learns from the missing end that the response is incomplete.
      reply.raw.destroy();
      request.log.debug({ reason: messageOf(error) }, 'a preview ended early');
    } else throw error;
  } finally {
    ended.removeEventListener('abort', stop);
    outgoing.destroy();
  }
}

/** Without an `agent`, Node uses this connection alone; and it could not resolve the host. */
function connectionOf({ link }: PreviewRequest) {
  return {
    host: 'preview.invalid',
    createConnection: () => link,
    maxHeaderSize: maxHeaderBytes,
    setHost: false,
  } as const;
}

/** Resolves with the head of the response. Rejects with 502 `upstream_error`. */
async function responseOf(
  outgoing: ClientRequest,
  port: number,
  { headMs, silentMs }: PreviewLimits,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const late = setTimeout(() => outgoing.destroy(new Error('it sent no complete head in time')), headMs);
  outgoing.once('response', resolve);
  outgoing.on('error', (error) =>
    reject(new AppError('upstream_error', `The server at port ${port} did not answer properly: ${messageOf(error)}.`)),
  );
  outgoing.once('close', () =>
    reject(new AppError('upstream_error', `The server at port ${port} closed the connection.`)),
  );
  outgoing.setTimeout(silentMs, () => outgoing.destroy(new Error('it was silent for too long')));
  promise.catch(() => undefined);
  try {
    return await promise;
  } finally {
    clearTimeout(late);
  }
}

async function sendBody(request: FastifyRequest, outgoing: ClientRequest, limits: PreviewLimits): Promise<void> {
  const { headers } = request;
  if (headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0') {
    outgoing.end();
    return;
  }
  try {
    await pipeline(request.raw, limiter(limits.requestBytes), outgoing);
  } catch (error) {
    // What went wrong with the server is the answer's to say.
    if (error instanceof AppError) throw error;
  }
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('payload_too_large', `A request to a preview can have at most ${maxBytes} bytes.`);
}

function limiter(maxBytes: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) done(tooLarge(maxBytes));
      else done(null, chunk);
    },
  });
}

const handshakeHeaders = ['sec-websocket-accept', 'sec-websocket-protocol', 'sec-websocket-extensions'] as const;
const askedHeaders = ['sec-websocket-key', 'sec-websocket-version', ...handshakeHeaders.slice(1)] as const;

/** Joins a WebSocket of the caller with the server. `take` returns the caller's connection once the server has agreed. */
export async function proxyUpgrade(
  request: FastifyRequest,
  preview: PreviewRequest,
  take: () => { socket: Duplex; head: Buffer },
): Promise<void> {
  const { port, path, prefix, signal } = preview;
  const asked = askedHeaders.filter((name) => request.headers[name] !== undefined);
  const headers = {
    ...headersInside(request.headers, port, prefix),
    ...Object.fromEntries(asked.map((name) => [name, request.headers[name]])),
    connection: 'Upgrade',
    upgrade: 'websocket',
  };
  const outgoing = httpRequest({ ...connectionOf(preview), method: 'GET', path, headers });
  const { promise, resolve } = Promise.withResolvers<{ response: IncomingMessage; inside: Duplex; first: Buffer }>();
  outgoing.once('upgrade', (response, inside, first) => resolve({ response, inside, first }));
  const refused = responseOf(outgoing, port, productLimits).then((): never => {
    throw new AppError('upstream_error', `The server at port ${port} accepts no WebSocket at this path.`);
  });
  refused.catch(() => undefined);
  outgoing.end();
  try {
    const { response, inside, first } = await Promise.race([promise, refused]);
    const { socket, head } = take();
    const lines = handshakeHeaders.flatMap((name) => {
      const value = response.headers[name];
      return value === undefined ? [] : [`${name}: ${value}`];
    });
    socket.write(
      `${['HTTP/1.1 101 Switching Protocols', 'connection: Upgrade', 'upgrade: websocket', ...lines].join('\r\n')}\r\n\r\n`,
    );
    if (first.length > 0) socket.write(first);
    if (head.length > 0) inside.write(head);
    const ended = AbortSignal.any([signal, AbortSignal.timeout(productLimits.exchangeMs)]);
    await Promise.race([
      pipeline(socket, inside, { signal: ended }),
      pipeline(inside, socket, { signal: ended }),
    ]).catch(() => undefined);
    for (const one of [inside, socket]) one.destroy();
  } finally {
    outgoing.destroy();
  }
}
