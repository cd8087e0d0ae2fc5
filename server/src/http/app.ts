import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance, type FastifyRequest } from 'fastify';
import cookie from '@fastify/cookie';
import type { Database } from '../db/pool.ts';
import { newId } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import {
  installAuthentication,
  type Authenticate,
  type AuthenticateCookie,
  type AuthenticateTicket,
  type ResolvesTo,
} from './authenticate.ts';
import { installAssets } from './asset.ts';
import { installArchives } from './archive.ts';
import { installBody, installStreams } from './body.ts';
import { answerClientError } from './client-errors.ts';
import { closeIdleConnections, closeSilentConnections } from './close.ts';
import { installCompression } from './compression.ts';
import { installCompilers } from './compilers.ts';
import { answerFrameworkError, installErrors, internalError } from './errors.ts';
import { maxParamLength } from './framework-errors.ts';
import { installPreconditions } from './etags.ts';
import { installEmptyHead, installHead } from './head.ts';
import { installIdempotency } from './idempotency.ts';
import { installMultipart } from './multipart.ts';
import { createCallerLimiter, type CallerLimiter } from './rate-limit.ts';
import { takeTokens } from './rate-limit-store.ts';
import { installOrganizationState } from './organization-state.ts';
import { installRefusals, type OnRefused } from './refusals.ts';
import type { Feature, Mount } from './route.ts';
import { closeSlowBodies, closeUnreadAnswers } from './slow-clients.ts';
import { installSessionKeyRules, type SessionKeyRules } from './session-keys.ts';
import { components } from './schema.ts';
import { installUpgrades, shouldUpgradeCallback } from './upgrade.ts';

export interface AppOptions {
  db: Database;
  log: Log;
  features: readonly Feature[];
  authenticate: Authenticate;
  authenticateCookie: AuthenticateCookie;
  authenticateTicket: AuthenticateTicket;
  /** The public base URL, which determines the cookie's name. */
  baseUrl: () => string;
  resolvesTo: ResolvesTo;
  sessionKeys: SessionKeyRules;
  rateLimit: { readonly perSecond: number; readonly burst: number };
  /** The proxies whose `x-forwarded-for` is trusted, as CIDRs. */
  trustedProxies: readonly string[];
  /** The level at which each response is logged. */
  requestLevel: 'debug' | 'info';
  /** Compares the bodies of idempotent requests. */
  idempotencySecret: Buffer;
  /** Records refusals. */
  refused: OnRefused;
  /** Returns the URL by which a request is routed, by default its own. */
  rewriteUrl?: (url: string) => string;
  /** Called before any route is registered. */
  describe?: ((app: FastifyInstance) => Promise<void>) | undefined;
  /** Called after every response. */
  observe: (answer: { method: string; route: string; status: number; durationMs: number }) => void;
}

const prefixes: Record<Mount, string> = { organization: '/v3/organizations/:orgId', v3: '/v3', root: '' };

/** Creates the HTTP server with every feature's routes; not listening yet. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const { db } = options;
  const loggerInstance: FastifyBaseLogger = options.log;
  const app = Fastify({
    // Each response is logged once, below.
    logController: new LogController({ disableRequestLogging: true }),
    frameworkErrors: answerFrameworkError,
    rewriteUrl: ({ url = '/' }) => options.rewriteUrl?.(url) ?? url,
    clientErrorHandler: (error, socket) => answerClientError(options.log, error, socket),
    loggerInstance,
    trustProxy: options.trustedProxies.length === 0 ? false : [...options.trustedProxies],
    bodyLimit: 1_048_576,
    genReqId: () => newId('req'),
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    http: { shouldUpgradeCallback },
    routerOptions: { maxParamLength, ignoreTrailingSlash: true },
  });
  installHead(app);
  installUpgrades(app);
  closeSilentConnections(app);
  closeIdleConnections(app);
  closeSlowBodies(app);
  closeUnreadAnswers(app);
  installCompilers(app);
  installErrors(app);
  installBody(app);
  installAnswerRules(app, options);
  await app.register(cookie);
  installAuthentication(app, {
    authenticate: options.authenticate,
    authenticateCookie: options.authenticateCookie,
    authenticateTicket: options.authenticateTicket,
    baseUrl: options.baseUrl,
    resolvesTo: options.resolvesTo,
    rateLimiter: limiterOf(options),
  });
  installOrganizationState(app);
  installRefusals(app, options.refused);
  installSessionKeyRules(app, options.sessionKeys);
  installIdempotency(app, db, options.idempotencySecret);
  installPreconditions(app);
  installCompression(app);
  installEmptyHead(app);
  await options.describe?.(app);
  installAssets(app);
  for (const [id, schema] of components) app.addSchema({ ...schema, $id: id });
  for (const feature of options.features)
    await app.register(
      async (scope) => {
        await installBodies(scope, feature);
        for (const route of feature.routes) route(scope, feature.mount, feature.tag);
      },
      { prefix: prefixes[feature.mount] },
    );
  return app;
}

function limiterOf({ db, rateLimit }: AppOptions): CallerLimiter | undefined {
  if (rateLimit.perSecond === 0) return undefined;
  return createCallerLimiter(
    rateLimit,
    (bucket, limit, want) => takeTokens(db, bucket, limit, want),
    () => performance.now(),
  );
}

/** Lets a feature's routes accept other bodies than parsed JSON. */
async function installBodies(scope: FastifyInstance, { multipart, streams, archives }: Feature): Promise<void> {
  if (multipart === true) await installMultipart(scope);
  if (streams === true) installStreams(scope);
  if (archives === true) await installArchives(scope);
}

/** Sets the constant headers, logs each response, and checks that its status was declared. */
function installAnswerRules(app: FastifyInstance, options: AppOptions): void {
  app.addHook('onSend', async (request, reply, payload) => {
    reply.headers({
      'x-request-id': reply.getHeader('x-request-id') ?? request.id,
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': reply.getHeader('cache-control') ?? 'no-store',
    });
    const { statuses } = request.routeOptions.config;
    if (statuses === undefined || statuses.has(reply.statusCode)) return payload;
    // An undeclared status would be sent without its schema, and so without filtering fields.
    request.log.error({ status: reply.statusCode, route: request.routeOptions.url }, 'undeclared status');
    reply.code(500).type('application/json; charset=utf-8').removeHeader('content-length');
    return JSON.stringify(internalError(request));
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    const durationMs = Math.round(reply.elapsedTime * 1_000) / 1_000;
    options.observe({ method: request.method, route, status: reply.statusCode, durationMs });
    request.log[options.requestLevel](lineOf(request, route, reply.statusCode, durationMs), 'request');
  });
}

function lineOf(request: FastifyRequest, route: string, status: number, durationMs: number): Record<string, unknown> {
  const caller: typeof request.caller | undefined = request.caller;
  const who = caller === undefined ? {} : { org: caller.organization.id, key_id: caller.credential.id };
  return { method: request.method, route, status, ms: durationMs, ip: request.ip, ...who };
}
