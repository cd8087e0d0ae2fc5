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
        root: `${built}assets`,
        prefix: '/console/assets/',
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
    },
  ];
}

async function sendConsole(reply: FastifyReply): Promise<FastifyReply> {
  let page: string;
  try {
    page = await readFile(`${built}index.html`, 'utf8');
  } catch {
    const body = '<p>Run <code>npm run console</code> on the server, and reload this page.</p>';
    return sendPage(reply, { title: 'The console is not built', body, status: 503 });
  }
  const nonce = randomBytes(16).toString('base64');
  return reply
    .header('content-security-policy', policyOf(nonce))
    .type('text/html; charset=utf-8')
    .send(page.replace('{{nonce}}', nonce));
}

/** Style attributes are allowed, since highlighters write them; style elements only with the page's nonce. */
function policyOf(nonce: string): string {
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
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
