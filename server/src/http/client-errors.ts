import { maxHeaderSize, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionError } from 'fastify';
import { newId } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';

/** Responds in the envelope of the API to what Node refuses before there is a request, and closes the connection. */
export function answerClientError(log: Pick<Log, 'debug'>, error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const { status, message } = refusalOf(error);
  const id = newId('req');
  // Not the error itself: it holds the bytes that came, and so a key.
  log.debug({ reason: error.message, reqId: id }, 'a connection sent no valid request');
  const body = JSON.stringify({ error: 'invalid_request', message, request_id: id });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'connection: close',
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${id}`,
  ];
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroy(error);
}

function refusalOf({ code }: Pick<ConnectionError, 'code'>): { status: number; message: string } {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, message: 'The request did not arrive in time. Send it again.' };
    case 'HPE_HEADER_OVERFLOW':
      return {
        status: 431,
        message: `The headers have more than ${maxHeaderSize} bytes together. Send fewer or shorter ones.`,
      };
    default:
      return { status: 400, message: 'The request is not valid HTTP. Check its request line, headers and chunks.' };
  }
}
