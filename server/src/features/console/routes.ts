import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { FastifyReply } from 'fastify';
import serveFiles from '@fastify/static';
import { sendPage } from '../../http/page.ts';
import type { Route } from '../../http/route.ts';

/** The files that `npm run console` built. */
const built = fileURLToPath(new URL('../../../../console/dist/', import.meta.url));

/** The console: hashed files that never change, and one page for every address below `/console/`. */
export function consoleRoutes(): Route[] {
  return [
    (app) => {
      app.register(serveFiles, {
        root: `${built}-/assets`,
        prefix: '/console/-/assets/',
        preCompressed: true,
        immutable: true,
        maxAge: '365d',
        index: false,
        decorateReply: false,
      });
      app.get('/', { schema: { hide: true } }, (_request, reply) => reply.redirect('/console/'));
      // The addresses in e-mails and in what others have written down.
      app.get('/sign-in', { schema: { hide: true } }, (request, reply) =>
        reply.redirect(`/console/-/sign-in${URL.parse(request.url, 'http://localhost')?.search ?? ''}`),
      );
      app.get<{ Params: { token: string } }>('/invites/:token', { schema: { hide: true } }, ({ params }, reply) =>
        reply.redirect(`/console/-/invites/${encodeURIComponent(params.token)}`),
      );
      for (const path of ['/console', '/console/*'])
        app.get(path, { schema: { hide: true } }, (_request, reply) => sendConsole(reply));
      // This page alone sends a form to a git host: to the one that its address names.
      app.get<{ Params: { org: string }; Querystring: { host?: unknown } }>(
        '/console/:org/git-connections/app/new',
        { schema: { hide: true } },
        ({ query }, reply) => sendConsole(reply, originOf(query.host ?? 'github.com')),
      );
    },
  ];
}

/** `formTarget`: an origin that takes forms of the page, besides this server; '' for none. */
async function sendConsole(reply: FastifyReply, formTarget = ''): Promise<FastifyReply> {
  let page: string;
  try {
    page = await readFile(`${built}index.html`, 'utf8');
  } catch {
    const body = '<p>Run <code>npm run console</code> on the server, and reload this page.</p>';
    return sendPage(reply, { title: 'The console is not built', body, status: 503 });
  }
  const nonce = randomBytes(16).toString('base64');
  return reply
    .header('content-security-policy', policyOf(nonce, formTarget))
    .type('text/html; charset=utf-8')
    .send(page.replace('{{nonce}}', nonce).replace('{{form-target}}', formTarget));
}

/** Returns the origin of a git host, given as a host name or URL; '' for anything else. */
function originOf(host: unknown): string {
  if (typeof host !== 'string') return '';
  const url = URL.parse(host.includes('://') ? host : `https://${host}`);
  // It goes into a header and into HTML: a host name may hold characters with a meaning there.
  const isPlain = /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d+)?$/.test(url?.origin ?? '');
  return isPlain ? (url?.origin ?? '') : '';
}

/** Returns an origin as a policy names it: for an IPv6 address, which a policy cannot name, all origins of its scheme. */
function sourceOf(origin: string): string {
  return origin.includes('[') ? new URL(origin).protocol : origin;
}

/** Style attributes are allowed, since highlighters write them; style elements only with the page's nonce. */
function policyOf(nonce: string, formTarget: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src-elem 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' blob: data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    `form-action 'self' ${sourceOf(formTarget)}`.trimEnd(),
    "frame-ancestors 'none'",
  ].join('; ');
}
