import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';

/** A terminal as a client has it. */
export interface TestTerminal {
  readonly socket: WebSocket;
  /** Everything that it printed. */
  readonly printed: () => string;
  type(text: string): void;
  send(message: unknown): void;
  /** Waits until it has printed something. */
  shows(pattern: RegExp): Promise<void>;
  /** Resolves when it has closed. */
  readonly closed: Promise<{ code: number; reason: string }>;
}

/** A handshake that was refused. */
export class HandshakeRefused extends Error {
  readonly status: number;
  readonly body: string;

  constructor(status: number, body: string) {
    super(`${status}: ${body}`);
    this.status = status;
    this.body = body;
  }
}

/** Opens a WebSocket. Throws {@link HandshakeRefused}. */
export async function openSocket(url: string, headers: Record<string, string>): Promise<WebSocket> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), { headers });
  const { promise, resolve, reject } = Promise.withResolvers<WebSocket>();
  socket.once('open', () => resolve(socket));
  socket.once('error', reject);
  socket.once('unexpected-response', (_request, response) => {
    let body = '';
    response.on('data', (chunk) => (body += String(chunk)));
    response.on('end', () => reject(new HandshakeRefused(response.statusCode ?? 0, body)));
  });
  return promise;
}

export async function openTerminal(url: string, headers: Record<string, string>): Promise<TestTerminal> {
  const socket = await openSocket(url, headers);
  let seen = '';
  socket.on('message', (data, isBinary) => {
    if (isBinary && Buffer.isBuffer(data)) seen = (seen + data.toString()).slice(-1_000_000);
  });
  const closed = once(socket, 'close').then(([code, reason]) => ({ code: Number(code), reason: String(reason) }));
  return {
    socket,
    printed: () => seen,
    type: (text) => socket.send(Buffer.from(text)),
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    async shows(pattern) {
      const deadline = performance.now() + 20_000;
      while (!pattern.test(seen)) {
        if (performance.now() > deadline) throw new Error(`never printed ${String(pattern)}: ${seen.slice(-2_000)}`);
        await delay(20);
      }
    },
    closed,
  };
}
