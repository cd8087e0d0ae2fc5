import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requireScope, type AuthenticatedCaller, type RequestFacts } from '../caller.ts';
import { AppError, notFound, statusOf } from '../lib/errors.ts';
import type { Door } from '../lib/keys.ts';
import { organizationHeader, refuseForgery, signInCookieName } from './cookie.ts';
import { createFailureLimiter, type CallerLimiter } from './rate-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every route whose scope is not `none`. */
    caller: AuthenticatedCaller;
  }
}

/** Finds out who holds a credential; throws 401 `unauthorized`, `key_expired`, `key_revoked`, 403 `ip_not_allowed`. */
export type Authenticate = (token: string, facts: RequestFacts, door: Door) => Promise<AuthenticatedCaller>;

/** What a request by cookie says of itself. */
export interface SignedInRequest {
  /** The organization it names, by path or header: an id or a slug. */
  organization: string | undefined;
  /** It concerns the person, whichever organization it names or does not. */
  isPersonal: boolean;
  facts: RequestFacts;
}

/**
 * Finds out who holds a cookie: throws 401 `unauthorized`. `caller` then tells who asks in which organization: throws 400
 * `invalid_request` where none is named and several are possible, 404 `organization_not_found`, 403 `ip_not_allowed`.
 */
export type AuthenticateCookie = (
  token: string,
  request: SignedInRequest,
) => Promise<{ id: string; userId: string; caller: () => Promise<AuthenticatedCaller> }>;

/** Whether a slug that the organization gave up still leads to it. */
export type ResolvesTo = (orgId: string, slug: string) => Promise<boolean>;

export interface AuthenticationOptions {
  authenticate: Authenticate;
  authenticateCookie: AuthenticateCookie;
  baseUrl: () => string;
  resolvesTo: ResolvesTo;
  /** Undefined: no limit. */
  rateLimiter: CallerLimiter | undefined;
}

/**
 * Refuses in this order, whatever else is wrong: 401, 403 `ip_not_allowed`, 429, 404 organization, 403 scope. A cookie counts
 * where no key is sent; only the organization says which addresses it takes, so there it is 401, 429, 404, 403.
 */
export function installAuthentication(app: FastifyInstance, options: AuthenticationOptions): void {
  const failures = createFailureLimiter(20, 1_000, Date.now);
  app.decorateRequest('caller');
  app.addHook('onRequest', async (request, reply) => {
    const scope = request.routeOptions.config.scope;
    if (scope === undefined || scope === 'none') return;
    const caller = await limitFailures(request, failures, () => identify(request, reply, options));
    request.caller = caller;
    await checkOrganization(request, caller, options.resolvesTo);
    if (scope !== 'any') requireScope(caller, scope);
    if (request.routeOptions.config.persons === true && caller.principal.type !== 'user')
      throw new AppError('forbidden', 'This is for persons; the key belongs to a machine.');
  });
}

async function identify(
  request: FastifyRequest,
  reply: FastifyReply,
  { authenticate, authenticateCookie, baseUrl, rateLimiter }: AuthenticationOptions,
): Promise<AuthenticatedCaller> {
  const { authorization } = request.headers;
  const facts = factsOf(request);
  const spend = async (id: string, principalId: string): Promise<void> => {
    if (rateLimiter !== undefined) await limit({ id, principalId }, rateLimiter, reply);
  };
  const { door = 'api' } = request.routeOptions.config;
  const takesCookies = authorization === undefined && door === 'api';
  const cookie = takesCookies ? request.cookies[signInCookieName(baseUrl())] : undefined;
  if (cookie !== undefined) {
    const isPersonal = request.routeOptions.config.personal === true;
    const signIn = await authenticateCookie(cookie, { organization: organizationOf(request), isPersonal, facts });
    if (request.method !== 'GET') refuseForgery(request, baseUrl());
    await spend(signIn.id, signIn.userId);
    return signIn.caller();
  }
  const token = tokenOf(authorization ?? '', request.routeOptions.config.basic === true);
  if (token === undefined) throw new AppError('unauthorized', 'Send an API key: `Authorization: Bearer guild_…`.');
  const caller = await authenticate(token, facts, door);
  await spend(caller.credential.id, caller.principal.id);
  return caller;
}

/** Failed authentication is limited per address. */
async function limitFailures(
  request: FastifyRequest,
  failures: ReturnType<typeof createFailureLimiter>,
  identified: () => Promise<AuthenticatedCaller>,
): Promise<AuthenticatedCaller> {
  try {
    return await identified();
  } catch (error) {
    if (error instanceof AppError && statusOf(error.code) === 401 && !failures.fail(request.ip))
      throw new AppError('rate_limited', 'Too many failed sign-ins from this address. Wait a moment.');
    throw error;
  }
}

/** The organization that a request by cookie names: in its path, or where that has none by a header. */
function organizationOf(request: FastifyRequest): string | undefined {
  const { params } = request;
  if (typeof params === 'object' && params !== null && 'orgId' in params) return String(params.orgId);
  const header = request.headers[organizationHeader];
  return header === undefined || header === '' ? undefined : String(header);
}

/** The token of a bearer header, or the password of a basic one where the client (git) knows no other. */
export function tokenOf(header: string, basic: boolean): string | undefined {
  const bearer = /^bearer +([\x21-\x7e]{1,2048})$/i.exec(header)?.[1];
  if (bearer !== undefined || !basic) return bearer;
  const encoded = /^basic +([\w+/=]{1,4096})$/i.exec(header)?.[1];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8').split(/:(.*)/s)[1];
}

/** What the audit trail keeps of this request. */
export function factsOf(request: FastifyRequest): RequestFacts {
  const userAgent = (request.headers['user-agent'] ?? '').slice(0, 500);
  return { id: request.id, ip: request.ip, userAgent, route: `${request.method} ${request.routeOptions.url ?? ''}` };
}

async function limit(
  { id, principalId }: { id: string; principalId: string },
  limiter: CallerLimiter,
  reply: FastifyReply,
): Promise<void> {
  const decision = await limiter.spend(id, principalId);
  reply.header('ratelimit-limit', decision.limit);
  reply.header('ratelimit-remaining', decision.remaining);
  reply.header('ratelimit-reset', decision.resetSeconds);
  if (decision.allowed) return;
  reply.header('retry-after', decision.retryAfterSeconds);
  const own = id.startsWith('sgn_') ? 'This sign-in sends' : 'This key sends';
  const who = decision.of === 'key' ? own : 'All keys and sign-ins that one caller has here send together';
  throw new AppError('rate_limited', `${who} more than ${decision.perSecond} requests a second.`);
}

async function checkOrganization(
  request: FastifyRequest,
  caller: AuthenticatedCaller,
  resolvesTo: ResolvesTo,
): Promise<void> {
  const { params } = request;
  if (typeof params !== 'object' || params === null || !('orgId' in params)) return;
  const orgId = String(params.orgId);
  if (orgId === caller.organization.id || orgId === caller.organization.slug) return;
  // What is no slug resolves to nothing, and the database takes no U+0000.
  const known = /^[a-z0-9-]{3,40}$/.test(orgId) && (await resolvesTo(caller.organization.id, orgId));
  if (!known) throw notFound('organization', orgId);
}
