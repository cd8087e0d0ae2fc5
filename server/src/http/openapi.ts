import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { errorStatus } from '../lib/errors.ts';
import { completeDocument } from './openapi-document.ts';
import { introduction } from './openapi-introduction.ts';
import type { Feature } from './route.ts';

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
