import type { FastifyInstance } from 'fastify';
import type { AuthenticatedCaller } from '../caller.ts';
import type { Context } from './context.ts';
import { createCallbackAuthenticator, isCallbackToken } from '../features/automations/runs/callback-token.ts';
import { createCookieAuthenticator } from '../features/auth/authenticate.ts';
import { routedAddress } from '../features/console/address.ts';
import { loadRoutes } from '../features/define.ts';
import { features } from '../features/index.ts';
import { createRefusalRecorder } from '../features/audit-logs/refusals.ts';
import { createAuthenticator } from '../features/keys/authenticate.ts';
import { resolvesRetiredSlug } from '../features/organizations/service.ts';
import { readTicket } from '../features/sessions/live/tickets.ts';
import { sessionKeyRules } from '../features/sessions/run/session-key-service.ts';
import { createApp } from '../http/app.ts';
import type { Metrics } from '../http/metrics.ts';
import type { Feature } from '../http/route.ts';

/**
 * Creates the API of a process, not yet listening. Closing it writes pending records: last-use times of keys, and
 * refusals.
 */
export async function createApi(
  ctx: Context,
  observe: Metrics['observe'],
  describe?: (app: FastifyInstance, features: readonly Feature[]) => Promise<void>,
): Promise<FastifyInstance> {
  const refusals = createRefusalRecorder(ctx);
  const denied = (caller: AuthenticatedCaller, code: string): void =>
    refusals.note(caller, { outcome: 'denied', code });
  const authenticator = createAuthenticator(ctx, denied);
  const callback = createCallbackAuthenticator(ctx);
  const cookies = createCookieAuthenticator(ctx, denied);
  const served = await loadRoutes(features, ctx);
  const app = await createApp({
    db: ctx.db,
    log: ctx.log,
    features: served,
    authenticate: async (token, facts, audience) =>
      audience === 'callback' && isCallbackToken(token)
        ? callback(token, facts)
        : authenticator.authenticate(token, facts, audience),
    authenticateCookie: cookies.authenticate,
    authenticateTicket: async (ticket, place, request) =>
      cookies.authenticateId(readTicket(ctx, ticket, place), request),
    baseUrl: ctx.baseUrl,
    resolvesTo: (orgId, slug) => resolvesRetiredSlug(ctx, orgId, slug),
    sessionKeys: sessionKeyRules(ctx),
    rateLimit: ctx.config.rateLimit,
    // On a terminal they would hide more important lines.
    requestLevel: ctx.config.logFormat === 'text' ? 'debug' : 'info',
    trustedProxies: ctx.config.trustedProxies,
    idempotencySecret: ctx.keyRing.derive('idempotency'),
    refused: refusals.note,
    rewriteUrl: routedAddress,
    describe: describe === undefined ? undefined : (made) => describe(made, served),
    observe,
  });
  app.addHook('onClose', async () => {
    await authenticator.close();
    await cookies.close();
    await refusals.close();
  });
  return app;
}
