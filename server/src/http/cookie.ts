import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';

/** The header that our pages send with every change; other sites cannot set it. */
const csrfHeader = 'x-guildhall-csrf';
/** Selects one of a signed-in person's organizations where the path does not. */
export const organizationHeader = 'x-guildhall-organization';

/** Returns the cookie's name. `__Host-` binds it to this host over TLS; over plain http browsers would reject it. */
export function signInCookieName(baseUrl: string): string {
  return isSecure(baseUrl) ? '__Host-guildhall' : 'guildhall';
}

export function setSignInCookie(reply: FastifyReply, baseUrl: string, token: string, expires: Date): void {
  reply.setCookie(signInCookieName(baseUrl), token, { ...attributes(baseUrl), expires });
}

export function clearSignInCookie(reply: FastifyReply, baseUrl: string): void {
  reply.clearCookie(signInCookieName(baseUrl), attributes(baseUrl));
}

/** Returns the attributes of our cookies: hidden from scripts, and sent by other sites only when following a link. */
export function attributes(baseUrl: string) {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure(baseUrl) } as const;
}

/**
 * Throws 403 `forbidden` unless one of our pages sent the request. Other sites cannot set the header without a CORS preflight,
 * which is never granted; the browser's origin headers are checked as well.
 */
export function refuseForgery(request: FastifyRequest, baseUrl: string): void {
  if (request.headers[csrfHeader] === undefined)
    throw new AppError(
      'forbidden',
      `Missing header: a request with a cookie that changes something must send ${csrfHeader}: 1.`,
    );
  refuseOtherSites(request, baseUrl);
}

/** Throws when the browser reports that another site sent the request; for operations without a cookie. */
export function refuseOtherSites(request: FastifyRequest, baseUrl: string): void {
  const site = request.headers['sec-fetch-site'];
  const { origin, host } = request.headers;
  const isOurs =
    origin === undefined || origin === new URL(baseUrl).origin || (URL.parse(origin)?.host ?? '') === (host ?? '-');
  if ((site === undefined || site === 'same-origin' || site === 'none') && isOurs) return;
  throw new AppError('forbidden', 'Cross-site request refused. Send it from a page of this installation.');
}

function isSecure(baseUrl: string): boolean {
  return baseUrl.startsWith('https:');
}

/** The refusal of a request by cookie that names none of the person's organizations. */
export function organizationRequired(slugs: readonly string[]): AppError {
  const message = `is required: you belong to ${slugs.join(', ')}. Name one by its id or slug.`;
  // Unversioned operations answer 400 too: who asks comes before what they ask.
  return new AppError('invalid_request', `header.${organizationHeader} ${message}`, {
    issues: [{ in: 'header', path: [organizationHeader], code: 'missing', message }],
  });
}
