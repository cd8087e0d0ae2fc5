import type { FastifyInstance } from 'fastify';
import type { Context } from './context.ts';
import { features } from './features/index.ts';
import { createAuthenticator } from './features/keys/authenticate.ts';
import { resolvesRetiredSlug } from './features/organizations/service.ts';
import { createApp } from './http/app.ts';
import type { Metrics } from './http/metrics.ts';

/** The API of a process, not yet listening. Closing it notes what is still to be noted of the keys' last use. */
export async function createApi(ctx: Context, observe: Metrics['observe']): Promise<FastifyInstance> {
  const authenticator = createAuthenticator(ctx);
  const app = await createApp({
    db: ctx.db,
    log: ctx.log,
    features: features(ctx),
    authenticate: authenticator.authenticate,
    resolvesTo: (orgId, slug) => resolvesRetiredSlug(ctx, orgId, slug),
    rateLimit: ctx.config.rateLimit,
    trustedProxies: ctx.config.trustedProxies,
    idempotencySecret: ctx.keyRing.derive('idempotency'),
    observe,
  });
  app.addHook('onClose', () => authenticator.close());
  return app;
}
