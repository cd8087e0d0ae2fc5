import swagger from '@fastify/swagger';
import scalar from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import { stringify } from 'yaml';
import type { Feature } from './app.ts';

/** Serves the OpenAPI 3.1 document and its reference page. Neither needs a key, and the page asks no other host. */
export async function installOpenapi(app: FastifyInstance, features: readonly Feature[]): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Guildhall',
        version: '3.0.0',
        description: 'Drives software-engineering agents for an organization: sessions, and everything around them.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      tags: [...new Set(features.map((feature) => feature.tag))].map((name) => ({ name })),
      security: [{ key: [] }],
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key: guild_…' } } },
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) =>
        typeof json.$id === 'string' ? json.$id : `schema-${index}`,
    },
  });
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(JSON.stringify(app.swagger(), null, 2)),
  );
  app.get('/openapi.yaml', { schema: { hide: true } }, async (_request, reply) =>
    reply.type('application/yaml; charset=utf-8').send(stringify(app.swagger())),
  );
  await app.register(scalar, {
    routePrefix: '/docs',
    logLevel: 'silent',
    configuration: {
      url: '/openapi.json',
      pageTitle: 'Guildhall API',
      telemetry: false,
      withDefaultFonts: false,
      hideClientButton: true,
    },
  });
}
