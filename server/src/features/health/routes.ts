import type { Context } from '../../context.ts';
import type { Route } from '../../http/route.ts';
import { messageOf } from '../../lib/errors.ts';
import { readWorkers } from './store.ts';

/** For load balancers and operators: outside the organization API, without a key. */
export function healthRoutes(ctx: Pick<Context, 'db' | 'closing' | 'log'>): Route[] {
  return [
    (app) => {
      app.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'ok' }));
      app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
        if (ctx.closing.aborted) return reply.code(503).send({ status: 'draining', database: 'unknown', workers: [] });
        try {
          const workers = await readWorkers(ctx.db);
          return { status: 'ready', database: 'ok', workers };
        } catch (error) {
          ctx.log.error({ reason: messageOf(error) }, 'the database does not answer');
          return reply.code(503).send({ status: 'not_ready', database: 'unreachable', workers: [] });
        }
      });
    },
  ];
}
