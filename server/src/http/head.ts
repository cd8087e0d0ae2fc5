import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Returns true for a request that changes nothing. */
export function isRead({ method }: Pick<FastifyRequest, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD';
}

/**
 * Answers HEAD wherever GET is, with the same headers. Leaves out routes whose GET does more than read: those to which another
 * site sends a browser, and those that ask an external service. Install it before any route.
 */
export function installHead(app: FastifyInstance): void {
  app.addHook('onRoute', function (options) {
    const { method, url, routePath, schema, config } = options;
    if (method !== 'GET' || config?.inBrowser === true || config?.asksOthers === true) return;
    if (this.hasRoute({ method: 'HEAD', url })) return;
    // Fastify prefers its `path` to an empty `url`.
    const head = { ...options, url: routePath, path: routePath, schema: { ...schema, hide: true } };
    this.route({ ...head, method: 'HEAD' });
  });
}

/** Drops the bodies of HEAD responses; a stream is not read. Install it after all other `onSend` hooks. */
export function installEmptyHead(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (request.method !== 'HEAD') return payload;
    if (payload instanceof Readable) payload.destroy();
    else if (typeof payload === 'string' || payload instanceof Uint8Array)
      reply.header('content-length', Buffer.byteLength(payload));
    return null;
  });
}
