import { createHash } from 'node:crypto';
import swagger from '@fastify/swagger';
import Fastify, { type FastifyInstance } from 'fastify';
import { serveAsset } from './asset.ts';
import { completeDocument } from './openapi-document.ts';
import type { Feature } from './route.ts';

/** What holds for all operations; the reference page begins with it. */
const introduction = `Drives software-engineering agents for an organization: sessions, and everything around them.

**Keys.** Send \`Authorization: Bearer guild_…\`. A key belongs to one organization and has scopes; each operation names the
one that it needs. \`GET /v3/self\` says whose key it is and what it may do.

**Organization.** Paths below \`/v3/organizations/{orgId}\` take the organization's id or slug. What belongs to another
organization answers exactly as what does not exist: 404.

**Lists** come in pages, newest first unless said otherwise. Send \`end_cursor\` as \`after\` for the next page, while
\`has_next_page\` is true. A filter takes several values separated by commas; filters combine with "and".

**Values.** Times are ISO 8601 with \`Z\`. Every documented key is always there: what is not set is \`""\`, \`{}\` or \`[]\`, and
\`null\` only where the field says so. Unknown keys in a body are refused, on unversioned operations ignored. A \`PATCH\` leaves what it does not name as it is.

**Errors** are \`{error, message, request_id}\` with an HTTP status; decide by \`error\`. Invalid bodies of the unversioned
operations answer 422 with \`detail\`: what is wrong, and where.

**Idempotency.** Every POST takes an \`Idempotency-Key\`. A repetition within 24 hours answers as the first did, and does
nothing twice.

**Limits.** Each key has a rate limit, and so have all keys and sign-ins of one person, service user or app together (five times as much); 429 and 503 say in \`retry-after\` when to come back.`;

/** Serves the OpenAPI 3.1 document and its reference page. Neither needs a key, and the page asks no other host. */
export async function installOpenapi(app: FastifyInstance, features: readonly Feature[]): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Guildhall',
        version: '3.0.0',
        description: introduction,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      tags: tagsOf(features),
      security: [{ key: [] }, { cookie: [] }],
      components: {
        securitySchemes: {
          key: { type: 'http', scheme: 'bearer', description: 'An API key: guild_…' },
          cookie: {
            type: 'apiKey',
            in: 'cookie',
            name: 'guildhall',
            description:
              'The sign-in of a person, from `POST /v3/auth/sign-in`; called `__Host-guildhall` over https. A request that changes something needs the header `x-guildhall-csrf: 1` as well. Where the path names no organization and the person has several, `x-guildhall-organization` names one.',
          },
        },
      },
    },
    // The rest of a path is a parameter of it like any other.
    transform: ({ schema, url }) => ({
      schema: { ...schema, ...(url.endsWith('/*') ? { params: withPath(schema.params) } : {}) },
      url: url.replace(/\/\*$/, '/:path'),
    }),
    transformObject: (document) => {
      if (!('openapiObject' in document)) return document.swaggerObject;
      completeDocument(document.openapiObject);
      return document.openapiObject;
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) =>
        typeof json.$id === 'string' ? json.$id : `schema-${index}`,
    },
  });
  serveAsset(app, '/openapi.json', async () => ({
    type: 'application/json; charset=utf-8',
    content: JSON.stringify(app.swagger(), null, 2),
  }));
  serveAsset(app, '/openapi.yaml', async () => {
    const { stringify } = await import('yaml');
    return { type: 'application/yaml; charset=utf-8', content: stringify(app.swagger()) };
  });
  installReference(app);
}

function withPath(params: unknown): unknown {
  const text = JSON.stringify(params ?? {});
  return JSON.parse(text.replaceAll('"*"', '"path"'));
}

const script = '/docs/js/scalar.js';

/** The reference page, which asks no other host, and its script of several MiB. */
function installReference(app: FastifyInstance): void {
  serveAsset(app, '/docs', async () => {
    const content = await ofReference('/docs/');
    return {
      type: 'text/html; charset=utf-8',
      content,
      headers: { 'content-security-policy': policyOf(content) },
    };
  });
  serveAsset(app, script, async () => ({
    type: 'text/javascript; charset=utf-8',
    content: await ofReference(script),
  }));
}

/** What the package serves at a path; it does not offer its page and its script in any other way. */
async function ofReference(path: string): Promise<string> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const server = Fastify();
  await server.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      cdn: script,
      pageTitle: 'Guildhall API',
      telemetry: false,
      withDefaultFonts: false,
      hideClientButton: true,
      // What would lead to somebody else's servers.
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  });
  const answer = await server.inject(path);
  await server.close();
  if (answer.statusCode !== 200) throw new Error(`The reference page has no ${path}: ${answer.statusCode}`);
  return answer.body;
}

/** The page may run its own scripts and talk to us alone. Its script writes the styles while it runs. */
function policyOf(html: string): string {
  const scripts = [...html.matchAll(/<script[^>]*>([^]*?)<\/script>/g)].map(([, text = '']) => text);
  const hashes = scripts
    .filter((text) => text.trim() !== '')
    .map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
  return `default-src 'none'; script-src 'self' ${hashes.join(' ')}; style-src 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; font-src 'self' data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`;
}

function tagsOf(features: readonly Feature[]): { name: string; description: string }[] {
  const shown = features.filter(({ description }) => description !== '');
  return [...new Map(shown.map(({ tag, description }) => [tag, { name: tag, description }])).values()];
}
