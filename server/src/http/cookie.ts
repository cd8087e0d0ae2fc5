import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';

/** The header that a page of ours sends with every request that changes something; another site's cannot. */
const csrfHeader = 'x-guildhall-csrf';
/** Which of a signed-in person's organizations a request means, where its path does not say. */
export const organizationHeader = 'x-guildhall-organization';

/** `__Host-` binds the cookie to this very host over TLS; over plain http no browser would keep it. */
export function signInCookieName(baseUrl: string): string {
  return isSecure(baseUrl) ? '__Host-guildhall' : 'guildhall';
}

export function setSignInCookie(reply: FastifyReply, baseUrl: string, token: string, expires: Date): void {
  reply.setCookie(signInCookieName(baseUrl), token, { ...attributes(baseUrl), expires });
}

export function clearSignInCookie(reply: FastifyReply, baseUrl: string): void {
  reply.clearCookie(signInCookieName(baseUrl), attributes(baseUrl));
}

/** The attributes of every cookie of ours: no script reads it, and no other site sends it along but by a link. */
export function attributes(baseUrl: string) {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure(baseUrl) } as const;
}

/**
 * Throws 403 `forbidden` unless a page of ours sent the request. The header alone keeps other sites out, because they
 * cannot set it without asking first, which is never granted; what the browser says of the origin is held against it too.
 */
export function refuseForgery(request: FastifyRequest, baseUrl: string): void {
  if (request.headers[csrfHeader] === undefined)
    throw new AppError('forbidden', `A request by cookie that changes something needs the header ${csrfHeader}: 1.`);
  refuseOtherSites(request, baseUrl);
}

/** The same for what needs no cookie, and so no header: throws when the browser says that another site sent it. */
export function refuseOtherSites(request: FastifyRequest, baseUrl: string): void {
  const site = request.headers['sec-fetch-site'];
  const { origin, host } = request.headers;
  const isOurs =
    origin === undefined || origin === new URL(baseUrl).origin || (URL.parse(origin)?.host ?? '') === (host ?? '-');
  if ((site === undefined || site === 'same-origin' || site === 'none') && isOurs) return;
  throw new AppError('forbidden', 'Another site sent this request.');
}

function isSecure(baseUrl: string): boolean {
  return baseUrl.startsWith('https:');
}

/** The refusal of a request by cookie that names none of the person's organizations. */
export function organizationRequired(slugs: readonly string[]): AppError {
  return new AppError(
    'invalid_request',
    `header.${organizationHeader} is required: you belong to ${slugs.join(', ')}. Name one by its id or slug.`,
  );
}
