import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { WebSocketServer, type WebSocket } from 'ws';

interface Upgrade {
  socket: Duplex;
  /** Bytes that the client sent after its request. */
  head: Buffer;
  response: ServerResponse;
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>();
const sockets = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: 65_536,
});

/** Only these requests are upgraded; Node answers any other as if it had not asked. Pass it to the server. */
export function shouldUpgradeCallback({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Routes requests for a WebSocket like any others, with the same hooks. A route that takes them calls {@link acceptWebSocket}
 * or {@link takeUpgrade}; any other answers as usual, and the connection ends after the response.
 */
export function installUpgrades(app: FastifyInstance): void {
  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    upgrades.set(request, { socket, head, response });
    response.once('finish', () => socket.end());
    // The types know only a socket of a TCP server, which this is.
    response.assignSocket(request.socket);
    app.routing(request, response);
  });
}

/** Returns true for a request that asks for a WebSocket. */
export function asksForWebSocket(request: FastifyRequest): boolean {
  return upgrades.has(request.raw);
}

/** Takes the connection of such a request from its response. */
export function takeUpgrade(request: FastifyRequest, reply: FastifyReply): { socket: Duplex; head: Buffer } {
  const upgrade = upgrades.get(request.raw);
  if (upgrade === undefined) throw new Error('The request did not ask for an upgrade.');
  const { socket, head, response } = upgrade;
  upgrades.delete(request.raw);
  reply.hijack();
  response.detachSocket(request.raw.socket);
  return { socket, head };
}

/** Accepts a WebSocket. Messages have at most 64 KiB. Resolves to undefined for an invalid handshake, which was answered. */
export async function acceptWebSocket(request: FastifyRequest, reply: FastifyReply): Promise<WebSocket | undefined> {
  const { socket, head } = takeUpgrade(request, reply);
  const { promise, resolve } = Promise.withResolvers<WebSocket | undefined>();
  socket.once('close', () => resolve(undefined));
  sockets.handleUpgrade(request.raw, socket, head, resolve);
  return promise;
}
