import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { errorStatus } from '../lib/errors.ts';
import { completeDocument } from './openapi-document.ts';
import type { Feature } from './route.ts';

/** The introduction of the reference page: rules for all operations. */
const introduction = `Drives software-engineering agents for an organization: sessions, and everything around them.

**Keys.** Send \`Authorization: Bearer guild_…\`. A key belongs to one organization and has scopes; each operation names the
one that it needs, in its description and for programs as \`x-scope\`. \`GET /v3/self\` returns the owner of the key and its scopes.

**Organization.** Paths below \`/v3/organizations/{orgId}\` take the organization's id or slug. A resource of another
organization returns 404, exactly like one that does not exist.

**Lists** come in pages, newest first unless said otherwise. Send \`end_cursor\` as \`after\` for the next page, while
\`has_next_page\` is true. A filter takes several values separated by commas; filters combine with "and".

**Values.** Times are ISO 8601 with \`Z\`. Every documented key is always present: an unset one is \`""\`, \`{}\` or \`[]\`, and
\`null\` only where the field says so. Unknown keys in a body are rejected; unversioned operations ignore them. A \`PATCH\` leaves omitted keys unchanged.

**Errors** are \`{error, message, request_id}\` with an HTTP status; decide by \`error\`. Unversioned operations reject an
invalid body with 422 and \`detail\`, which lists each problem and its place.

**Idempotency.** Every POST takes an \`Idempotency-Key\`. A repetition within 24 hours returns the first response again and
has no other effect.

**Limits.** Each key has a rate limit. All keys and sign-ins of one user, service user or app share another one, five times as high. \`retry-after\` of 429 and 503 says when to retry.`;

/** Describes an app whose routes are registered later; its `swagger()` then returns the OpenAPI 3.1 document. */
export async function describeApi(app: FastifyInstance, features: readonly Feature[]): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Guildhall',
        version: '3.0.0',
        description: introduction,
        contact: { name: 'The operator of this installation' },
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
              'The sign-in cookie of a user, from `POST /v3/auth/sign-in`; named `__Host-guildhall` over https. Requests that change something also need the header `x-guildhall-csrf: 1`. If the path names no organization and the user has several, `x-guildhall-organization` chooses one.',
          },
        },
      },
    },
    // The rest of a path is an ordinary parameter.
    transform: ({ schema, url }) => ({
      schema: { ...schema, ...(url.endsWith('/*') ? { params: withPath(schema.params) } : {}) },
      url: url.replace(/\/\*$/, '/:path'),
    }),
    transformObject: (document) => {
      if (!('openapiObject' in document)) return document.swaggerObject;
      completeDocument(document.openapiObject, errorCodesOf(features));
      return document.openapiObject;
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) =>
        typeof json.$id === 'string' ? json.$id : `schema-${index}`,
    },
  });
}

/** Returns every error code of the API. */
function errorCodesOf(features: readonly Feature[]): string[] {
  const missing = features.flatMap(({ errors = [] }) => errors.map((resource) => `${resource}_not_found`));
  return [...Object.keys(errorStatus), ...missing];
}

function withPath(params: unknown): unknown {
  const text = JSON.stringify(params ?? {});
  return JSON.parse(text.replaceAll('"*"', '"path"'));
}

function tagsOf(features: readonly Feature[]): { name: string; description: string }[] {
  const shown = features.filter(({ description }) => description !== '');
  return [...new Map(shown.map(({ tag, description }) => [tag, { name: tag, description }])).values()];
}
