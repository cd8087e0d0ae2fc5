import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
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

/** Listens on a new unix socket in `directory` and returns its path. Any user who can see the socket may connect. */
export async function listenOnSocket(server: Server, directory: string): Promise<string> {
  const path = join(directory, `${randomBytes(8).toString('hex')}.sock`);
  // sockaddr_un holds 108 bytes including the terminating zero; a longer path would be truncated silently.
  if (Buffer.byteLength(path) > 107)
    throw new Error(`The gateway's directory ${directory} is too long for a unix socket: use at most 85 bytes.`);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen({ path, readableAll: true, writableAll: true, exclusive: true }, resolve);
  await promise;
  server.off('error', reject);
  return path;
}

/** Removes the file of a socket. Node removes it when the server closes, but not if it never listened. */
export async function removeSocket(path: string): Promise<void> {
  await rm(path, { force: true });
}
