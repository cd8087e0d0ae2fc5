import type { FastifyInstance } from 'fastify';
import type { Context } from './context.ts';
import { createCookieAuthenticator } from './features/auth/authenticate.ts';
import { features } from './features/index.ts';
import { createAuthenticator } from './features/keys/authenticate.ts';
import { resolvesRetiredSlug } from './features/organizations/service.ts';
import { createApp } from './http/app.ts';
import type { Metrics } from './http/metrics.ts';

/** The API of a process, not yet listening. Closing it notes what is still to be noted of the keys' last use. */
export async function createApi(ctx: Context, observe: Metrics['observe']): Promise<FastifyInstance> {
  const authenticator = createAuthenticator(ctx);
  const cookies = createCookieAuthenticator(ctx);
  const app = await createApp({
    db: ctx.db,
    log: ctx.log,
    features: features(ctx),
    authenticate: authenticator.authenticate,
    authenticateCookie: cookies.authenticate,
    baseUrl: ctx.baseUrl,
    resolvesTo: (orgId, slug) => resolvesRetiredSlug(ctx, orgId, slug),
    rateLimit: ctx.config.rateLimit,
    trustedProxies: ctx.config.trustedProxies,
    idempotencySecret: ctx.keyRing.derive('idempotency'),
    observe,
  });
  app.addHook('onClose', () => authenticator.close());
  app.addHook('onClose', () => cookies.close());
  return app;
}
