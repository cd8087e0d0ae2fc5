import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requireScope, type Caller, type RequestFacts } from '../caller.ts';
import { AppError, notFound, statusOf } from '../lib/errors.ts';
import type { Door } from '../lib/keys.ts';
import { createFailureLimiter, type createRateLimiter } from './rate-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every route whose scope is not `none`. */
    caller: Caller;
  }
}

/** Finds out who holds a credential; throws 401 `unauthorized`, `key_expired`, `key_revoked`, 403 `ip_not_allowed`. */
export type Authenticate = (token: string, facts: RequestFacts, door: Door) => Promise<Caller>;

/** Whether a slug that the organization gave up still leads to it. */
export type ResolvesTo = (orgId: string, slug: string) => Promise<boolean>;

export interface AuthenticationOptions {
  authenticate: Authenticate;
  resolvesTo: ResolvesTo;
  /** Undefined: no limit. */
  rateLimiter: ReturnType<typeof createRateLimiter> | undefined;
}

/** Refuses in this order, whatever else is wrong: 401, 403 `ip_not_allowed`, 429, 404 organization, 403 scope. */
export function installAuthentication(app: FastifyInstance, options: AuthenticationOptions): void {
  const failures = createFailureLimiter(20, 1_000, Date.now);
  app.decorateRequest('caller');
  app.addHook('onRequest', async (request, reply) => {
    const scope = request.routeOptions.config.scope;
    if (scope === undefined || scope === 'none') return;
    const caller = await identify(request, options.authenticate, failures);
    request.caller = caller;
    if (options.rateLimiter !== undefined) limit(caller.key.id, options.rateLimiter, reply);
    await checkOrganization(request, caller, options.resolvesTo);
    if (scope !== 'any') requireScope(caller, scope);
    if (request.routeOptions.config.persons === true && caller.principal.type !== 'user')
      throw new AppError('forbidden', 'This is for persons; the key belongs to a machine.');
  });
}

async function identify(
  request: FastifyRequest,
  authenticate: Authenticate,
  failures: ReturnType<typeof createFailureLimiter>,
): Promise<Caller> {
  const token = tokenOf(request.headers.authorization ?? '', request.routeOptions.config.basic === true);
  if (token === undefined) throw new AppError('unauthorized', 'Send an API key: `Authorization: Bearer guild_…`.');
  try {
    return await authenticate(token, factsOf(request), request.routeOptions.config.door ?? 'api');
  } catch (error) {
    if (error instanceof AppError && statusOf(error.code) === 401 && !failures.fail(request.ip))
      throw new AppError('rate_limited', 'Too many failed sign-ins from this address. Wait a moment.');
    throw error;
  }
}

/** The token of a bearer header, or the password of a basic one where the client (git) knows no other. */
export function tokenOf(header: string, basic: boolean): string | undefined {
  const bearer = /^bearer +([\x21-\x7e]{1,2048})$/i.exec(header)?.[1];
  if (bearer !== undefined || !basic) return bearer;
  const encoded = /^basic +([\w+/=]{1,4096})$/i.exec(header)?.[1];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8').split(/:(.*)/s)[1];
}

/** What the audit trail keeps of this request. */
function factsOf(request: FastifyRequest): RequestFacts {
  return { id: request.id, ip: request.ip, userAgent: (request.headers['user-agent'] ?? '').slice(0, 500) };
}

function limit(keyId: string, limiter: ReturnType<typeof createRateLimiter>, reply: FastifyReply): void {
  const decision = limiter.spend(keyId);
  reply.header('ratelimit-limit', decision.limit);
  reply.header('ratelimit-remaining', decision.remaining);
  reply.header('ratelimit-reset', decision.resetSeconds);
  if (decision.allowed) return;
  reply.header('retry-after', decision.retryAfterSeconds);
  throw new AppError('rate_limited', `This key sends more than ${decision.limit} requests a second.`);
}

async function checkOrganization(request: FastifyRequest, caller: Caller, resolvesTo: ResolvesTo): Promise<void> {
  const { params } = request;
  if (typeof params !== 'object' || params === null || !('orgId' in params)) return;
  const orgId = String(params.orgId);
  if (orgId === caller.organization.id || orgId === caller.organization.slug) return;
  // What is no slug resolves to nothing, and the database takes no U+0000.
  const known = /^[a-z0-9-]{3,40}$/.test(orgId) && (await resolvesTo(caller.organization.id, orgId));
  if (!known) throw notFound('organization', orgId);
}
