import type { Context } from '../../app/context.ts';
import type { Route } from '../../http/route.ts';
import { readReadiness } from './service.ts';

/** For load balancers and operators: outside the organization API, without a key. */
export function healthRoutes(
  ctx: Pick<Context, 'db' | 'leaving' | 'log' | 'storage' | 'disk' | 'installation'>,
): Route[] {
  return [
    (app) => {
      app.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'ok', installation: ctx.installation }));
      app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
        const readiness = await readReadiness(ctx);
        return reply.code(readiness.status === 'ready' ? 200 : 503).send(readiness);
      });
    },
  ];
}
