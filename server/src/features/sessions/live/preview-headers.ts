import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { exposedHeaders, passedBack, passedOn } from './preview-header-names.ts';

/**
 * A page from a sandbox has no origin of ours: it can neither read the console's storage nor act as the person who looks at
 * it. Its scripts and forms work.
 */
const contentSecurityPolicy = 'sandbox allow-scripts allow-forms';

/** Returns the headers of a request for the server in the sandbox: none of them identifies the caller. */
export function headersInside(headers: IncomingHttpHeaders, port: number, prefix: string): OutgoingHttpHeaders {
  const own = `localhost:${port}`;
  const kept = Object.entries(headers).filter(([name]) => passedOn.has(name) || isOfApplication(name));
  return {
    ...Object.fromEntries(kept),
    host: own,
    ...(headers.origin === undefined ? {} : { origin: `http://${own}` }),
    'x-forwarded-prefix': prefix,
  };
}

/** Returns true for a header of the page's own, and false for those by which proxies and we name the caller. */
function isOfApplication(name: string): boolean {
  return /^x-(?!guildhall|forwarded|real|client|original|accel|sendfile|http|remote|request-id)/.test(name);
}

/** Returns the headers of a response for the caller. Only known ones pass: some would control a proxy, or our pages. */
export function headersOutside(headers: IncomingHttpHeaders, port: number, prefix: string): OutgoingHttpHeaders {
  const kept: OutgoingHttpHeaders = {};
  for (const name of passedBack) if (headers[name] !== undefined) kept[name] = headers[name];
  const location = locationOutside(headers.location, port, prefix);
  return { ...kept, ...(location === undefined ? {} : { location }), ...fixedHeaders };
}

/** Headers of every response of a preview. */
const fixedHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': contentSecurityPolicy,
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  // Without an origin, every request of the page is one to another site.
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposedHeaders,
};

/** The answer to a browser that asks whether a page without an origin may send a request. */
export function preflightHeaders(asked: string): Readonly<Record<string, string>> {
  return {
    ...fixedHeaders,
    'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
    ...(/^[\w, -]{1,2000}$/.test(asked) ? { 'access-control-allow-headers': asked } : {}),
  };
}

/** Returns a redirect's target as the caller reaches it; undefined for one that is not http or https. */
export function locationOutside(location: string | undefined, port: number, prefix: string): string | undefined {
  if (location === undefined) return undefined;
  // A relative one stays: it holds below the prefix as well.
  if (!location.startsWith('/') && !/^[a-z][a-z0-9+.-]*:/i.test(location)) return location;
  const url = URL.parse(location, `http://localhost:${port}`);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return undefined;
  const isOwn = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname) && Number(url.port || 80) === port;
  return isOwn ? `${prefix}${url.pathname}${url.search}${url.hash}` : url.href;
}
