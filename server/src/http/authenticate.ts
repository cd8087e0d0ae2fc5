import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requireNotSuspended, requireScope, type AuthenticatedCaller, type RequestFacts } from '../caller.ts';
import { AppError, notFound } from '../lib/errors.ts';
import type { Audience } from '../lib/keys.ts';
import { organizationHeader, refuseForgery, refuseOtherSites, signInCookieName } from './cookie.ts';
import { isRead } from './head.ts';
import { readPreviewUrl } from './preview-url.ts';
import { createFailureLimiter, type CallerLimiter } from './rate-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every route whose scope is not `none`. */
    caller: AuthenticatedCaller;
    /** Throws as the authentication would now, for connections that outlive it. Costs no request of the rate limit. */
    recheck: () => Promise<void>;
  }
}

/** Identifies the owner of a credential. Throws 401 `unauthorized`, `key_expired`, `key_revoked`, 403 `ip_not_allowed`. */
export type Authenticate = (
  token: string,
  facts: RequestFacts,
  audience: Audience | 'callback',
) => Promise<AuthenticatedCaller>;

/** The facts of a request with a cookie. */
export interface SignedInRequest {
  /** The id or slug of the organization, from path or header. */
  organization: string | undefined;
  /** True when the request concerns the person, independent of any organization. */
  isPersonal: boolean;
  facts: RequestFacts;
}

/**
 * Identifies the owner of a cookie; throws 401 `unauthorized`. `caller` then selects the organization: throws 400
 * `invalid_request` when several are possible and none is named, 404 `organization_not_found`, 403 `ip_not_allowed`.
 */
export type AuthenticateCookie = (
  token: string,
  request: SignedInRequest,
) => Promise<{ id: string; userId: string; caller: () => Promise<AuthenticatedCaller> }>;

/** The preview that a ticket is for, as in the path. */
export interface PreviewPlace {
  organization: string;
  session: string;
  port: string;
}

/** Identifies the person whose sign-in a ticket was issued for; throws 401 `unauthorized`. `caller` is as for a cookie. */
export type AuthenticateTicket = (
  ticket: string,
  place: PreviewPlace,
  request: SignedInRequest,
) => ReturnType<AuthenticateCookie>;

/** Returns true if a former slug still resolves to the organization. */
export type ResolvesTo = (orgId: string, slug: string) => Promise<boolean>;

export interface AuthenticationOptions {
  authenticate: Authenticate;
  authenticateCookie: AuthenticateCookie;
  authenticateTicket: AuthenticateTicket;
  baseUrl: () => string;
  resolvesTo: ResolvesTo;
  /** Undefined for no limit. */
  rateLimiter: CallerLimiter | undefined;
}

/**
 * Authenticates requests. Checks in this order: 401, 403 `ip_not_allowed`, 429, 404 organization, 403 scope. A cookie is used
 * when no key is sent; its IP check needs the organization, so the order is 401, 429, 404, 403.
 */
export function installAuthentication(app: FastifyInstance, options: AuthenticationOptions): void {
  const limitFailures = createFailureLimiter('Too many failed sign-ins from this address. Wait a moment.', Date.now);
  app.decorateRequest('caller');
  app.decorateRequest('recheck', async function (this: FastifyRequest) {
    const caller = await identify(this, options, async () => undefined);
    requireNotSuspended(caller.organization);
    await checkRights(this, caller, options);
  });
  app.addHook('onRequest', async (request, reply) => {
    const scope = request.routeOptions.config.scope;
    if (scope === undefined || scope === 'none') return;
    const { rateLimiter } = options;
    const spend = async (id: string, principalId: string): Promise<void> => {
      if (rateLimiter !== undefined) await limit({ id, principalId }, rateLimiter, reply);
    };
    const caller = await limitFailures(request.ip, () => identify(request, options, spend));
    request.caller = caller;
    await checkRights(request, caller, options);
  });
}

async function checkRights(
  request: FastifyRequest,
  caller: AuthenticatedCaller,
  { resolvesTo }: AuthenticationOptions,
): Promise<void> {
  const { scope, persons } = request.routeOptions.config;
  await checkOrganization(request, caller, resolvesTo);
  if (scope !== undefined && scope !== 'any' && scope !== 'none') requireScope(caller, scope);
  if (persons === true && caller.principal.type !== 'user')
    throw new AppError('forbidden', 'This operation is only for users. Use a personal key, or sign in.');
}

/** `spend` counts the request of a credential. */
async function identify(
  request: FastifyRequest,
  { authenticate, authenticateCookie, authenticateTicket, baseUrl }: AuthenticationOptions,
  spend: (id: string, principalId: string) => Promise<void>,
): Promise<AuthenticatedCaller> {
  const { authorization } = request.headers;
  const facts = factsOf(request);
  const { audience = 'api', ownPages = false, personal = false } = request.routeOptions.config;
  const signedIn = { organization: organizationOf(request), isPersonal: personal, facts };
  const ticket = ticketOf(request);
  if (ticket !== undefined) {
    const signIn = await authenticateTicket(ticket.ticket, ticket.place, signedIn);
    await spend(signIn.id, signIn.userId);
    return signIn.caller();
  }
  const takesCookies = authorization === undefined && audience !== 'mcp';
  const cookie = takesCookies ? request.cookies[signInCookieName(baseUrl())] : undefined;
  if (cookie !== undefined) {
    const signIn = await authenticateCookie(cookie, signedIn);
    if (!isRead(request)) refuseForgery(request, baseUrl());
    // A browser sends the cookie with a WebSocket of any site.
    else if (ownPages) refuseOtherSites(request, baseUrl());
    await spend(signIn.id, signIn.userId);
    return signIn.caller();
  }
  const token = tokenOf(authorization ?? '', request.routeOptions.config.basic === true);
  if (token === undefined) throw new AppError('unauthorized', 'Send an API key: `Authorization: Bearer guild_…`.');
  const caller = await authenticate(token, facts, audience);
  await spend(caller.credential.id, caller.principal.id);
  return caller;
}

/** Returns the ticket at the beginning of a preview's path: `~<ticket>/…`. */
function ticketOf(request: FastifyRequest): { ticket: string; place: PreviewPlace } | undefined {
  if (request.routeOptions.config.takesTicket !== true) return undefined;
  const url = readPreviewUrl(request.raw.url ?? '');
  if (url === undefined || url.ticket === '') return undefined;
  const { ticket, organization, session, port } = url;
  return { ticket, place: { organization, session, port } };
}

/** Returns the organization that a request with a cookie names, in its path or else by a header. */
function organizationOf(request: FastifyRequest): string | undefined {
  const { params } = request;
  if (typeof params === 'object' && params !== null && 'orgId' in params) return String(params.orgId);
  const header = request.headers[organizationHeader];
  return header === undefined || header === '' ? undefined : String(header);
}

/** Returns the token of a bearer header, or the password of a basic one where the client (git) supports nothing else. */
export function tokenOf(header: string, basic: boolean): string | undefined {
  const bearer = /^bearer +([\x21-\x7e]{1,2048})$/i.exec(header)?.[1];
  if (bearer !== undefined || !basic) return bearer;
  const encoded = /^basic +([\w+/=]{1,4096})$/i.exec(header)?.[1];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8').split(/:(.*)/s)[1];
}

/** Returns the facts of a request for the audit log. */
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
  const own = id.startsWith('sgn_') ? 'This sign-in sent' : 'This key sent';
  const who = decision.of === 'key' ? own : 'Your keys and sign-ins together sent';
  throw new AppError(
    'rate_limited',
    `${who} more than ${decision.perSecond} requests per second. Retry after the time in retry-after.`,
  );
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
  // Invalid slugs are not looked up: PostgreSQL rejects U+0000.
  const known = /^[a-z0-9-]{3,40}$/.test(orgId) && (await resolvesTo(caller.organization.id, orgId));
  if (!known) throw notFound('organization', orgId);
}
