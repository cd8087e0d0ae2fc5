import type { FastifyInstance } from 'fastify';

/** So much of a body has to arrive in so long; a connection that brings less is closed. */
const leastBytes = 32_768;
const everyMs = 30_000;

/**
 * Closes connections whose body does not come, which Node would keep for good: whoever holds enough of them keeps everybody
 * else out, and needs no key for it. A push is looked after where git reads it, until it was refused.
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
      // What is there and not yet read waits for us, and not for the client, who then has all of the next time.
      const hadToWait = hasToWait;
      hasToWait = !reply.raw.writableEnded && (isPush || raw.readableLength > 0);
      if (came < within.leastBytes && !hasToWait && !hadToWait) raw.socket.destroy();
    }, within.everyMs).unref();
    raw.once('close', () => clearInterval(timer));
    raw.once('end', () => clearInterval(timer));
  });
}

/** So long an answer may stand still that its client does not read. */
const standStillMs = 120_000;

/** Closes connections whose answer nobody reads: it is held until then. Streams of events look after theirs. */
export function closeUnreadAnswers(app: FastifyInstance, ms = standStillMs): void {
  app.addHook('onSend', async (_, reply, payload) => {
    // After the answer the connection has its usual time again.
    reply.raw.setTimeout(ms, () => reply.raw.destroy());
    return payload;
  });
}
