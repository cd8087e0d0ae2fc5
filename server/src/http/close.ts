import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Closes, with the app, connections that never asked anything, as browsers and connection pools open them in advance:
 * Node counts only those as idle that have had an answer, and would wait for these.
 */
export function closeSilentConnections(app: FastifyInstance): void {
  const silent = new Set<Socket>();
  app.server.on('connection', (socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  app.server.on('request', ({ socket }) => silent.delete(socket));
  app.addHook('preClose', async () => {
    for (const socket of silent) socket.destroy();
  });
}

/**
 * Closing waits for every connection. One that answers at that moment, or streams, is kept alive by its client afterwards
 * and would hold a drain up for longer than a minute.
 */
export function closeIdleConnections(app: FastifyInstance): void {
  app.addHook('preClose', async () => {
    const timer = setInterval(() => app.server.closeIdleConnections(), 50);
    app.server.once('close', () => clearInterval(timer));
  });
}
