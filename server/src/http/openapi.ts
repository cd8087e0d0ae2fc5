import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { errorStatus } from '../lib/errors.ts';
import { completeDocument } from './openapi-document.ts';
import type { Feature } from './route.ts';

/** The introduction of the reference page: rules for all operations. */
const introduction = `Drives software-engineering agents for an organization: sessions, and everything around them.

**Keys.** Send \`Authorization: Bearer guild_…\`. A key belongs to one organization and has scopes; each operation names the
one that it needs, in its description and for programs as \`x-scope\`. \`GET /v3/self\` says whose key it is and what it may do.

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
              'The sign-in of a person, from `POST /v3/auth/sign-in`; called `__Host-guildhall` over https. A request that changes something needs the header `x-guildhall-csrf: 1` as well. Where the path names no organization and the person has several, `x-guildhall-organization` names one.',
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
