import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { idleTimeoutMs } from './net/forward.ts';

/** More than a build opens; what a sandbox opens beyond is cut off. */
const maxConnections = 256;

type TunnelHandler = (request: IncomingMessage, socket: Socket, head: Buffer) => void;

/** A server for one sandbox: plain requests and CONNECT, with limits on what a hostile client can hold. */
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

/** Listens on a new unix socket in `directory` that any user may connect to who can see it. Answers its path. */
export async function listenOnSocket(server: Server, directory: string): Promise<string> {
  const path = join(directory, `${randomBytes(8).toString('hex')}.sock`);
  // sockaddr_un holds 108 bytes with the closing zero; a longer path would be cut off silently.
  if (Buffer.byteLength(path) > 107)
    throw new Error(`the gateway's directory ${directory} is too long for a unix socket: at most 85 bytes`);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen({ path, readableAll: true, writableAll: true }, resolve);
  await promise;
  server.off('error', reject);
  return path;
}

/** Removes a socket's file; node does so when the server closes, but not when it was never told to. */
export async function removeSocket(path: string): Promise<void> {
  await rm(path, { force: true });
}
