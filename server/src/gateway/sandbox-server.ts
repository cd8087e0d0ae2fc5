import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { idleTimeoutMs } from './net/forward.ts';

/** More than a build opens; further connections are closed. */
const maxConnections = 256;

type TunnelHandler = (request: IncomingMessage, socket: Socket, head: Buffer) => void;

/** Creates a server for one sandbox: plain requests and CONNECT, with limits against a hostile client. */
export function createSandboxServer(
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
  onTunnel: TunnelHandler,
): { server: Server; close(): Promise<void>; cutTunnels(): void } {
  const sockets = new Set<Socket>();
  const tunnels = new Set<Socket>();
  const server = createServer(
    { keepAliveTimeout: 30_000, headersTimeout: 30_000, requestTimeout: 0, maxHeaderSize: 32 * 1024 },
    onRequest,
  );
  server.maxConnections = maxConnections;
  server.setTimeout(idleTimeoutMs, (socket) => socket.destroy());
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('connect', (request: IncomingMessage, _stream, head: Buffer) => {
    const { socket } = request;
    tunnels.add(socket);
    socket.once('close', () => tunnels.delete(socket));
    onTunnel(request, socket, head);
  });
  return {
    server,
    cutTunnels() {
      for (const socket of tunnels) socket.destroy();
    },
    async close() {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
      await promise;
    },
  };
}
