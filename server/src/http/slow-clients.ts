import type { FastifyInstance } from 'fastify';

/** The bytes of a body that must arrive within a period; slower connections are closed. */
const leastBytes = 32_768;
const everyMs = 30_000;

/**
 * Closes connections whose body does not arrive. Node would keep them forever, and enough of them would block all other
 * clients; that needs no key. Pushes are checked where git reads them, unless they were rejected.
 */
export function closeSlowBodies(app: FastifyInstance, within = { everyMs, leastBytes }): void {
  app.addHook('onRequest', async ({ raw, headers, routeOptions }, reply) => {
    if (headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0') return;
    const isPush = routeOptions.config.basic === true;
    let before = raw.socket.bytesRead;
    let hasToWait = false;
    const timer = setInterval(() => {
      if (raw.complete) return clearInterval(timer);
      const came = raw.socket.bytesRead - before;
      before += came;
      // Received but unread data waits for us, not for the client, which then gets the full next period.
      const hadToWait = hasToWait;
      hasToWait = !reply.raw.writableEnded && (isPush || raw.readableLength > 0);
      if (came < within.leastBytes && !hasToWait && !hadToWait) raw.socket.destroy();
    }, within.everyMs).unref();
    raw.once('close', () => clearInterval(timer));
    raw.once('end', () => clearInterval(timer));
  });
}

/** Milliseconds for which a client may leave a response unread. */
const standStillMs = 120_000;

/**
 * Closes connections whose response nobody reads, because it is held in memory until then. Event streams check theirs
 * themselves.
 */
export function closeUnreadAnswers(app: FastifyInstance, ms = standStillMs): void {
  app.addHook('onSend', async (_, reply, payload) => {
    // After the response, the usual timeout applies again.
    reply.raw.setTimeout(ms, () => reply.raw.destroy());
    return payload;
  });
}
