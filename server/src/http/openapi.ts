import swagger from '@fastify/swagger';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Feature } from './route.ts';
import { components } from './schema.ts';

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
      complete(document.openapiObject);
      return document.openapiObject;
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) =>
        typeof json.$id === 'string' ? json.$id : `schema-${index}`,
    },
  });
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(JSON.stringify(app.swagger(), null, 2)),
  );
  app.get('/openapi.yaml', { schema: { hide: true } }, async (_request, reply) => {
    // Rarely asked for, and none of what an idle process should hold.
    const { stringify } = await import('yaml');
    return reply.type('application/yaml; charset=utf-8').send(stringify(app.swagger()));
  });
  installReference(app);
}

function withPath(params: unknown): unknown {
  const text = JSON.stringify(params ?? {});
  return JSON.parse(text.replaceAll('"*"', '"path"'));
}

/** The reference page: several MiB of script that most processes never serve, so it is loaded when first asked for. */
function installReference(app: FastifyInstance): void {
  let loading: Promise<FastifyInstance> | undefined;
  const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const page = await (loading ??= openReference());
    reply.hijack();
    page.routing(request.raw, reply.raw);
    return reply;
  };
  for (const url of ['/docs', '/docs/*']) app.get(url, { schema: { hide: true } }, serve);
  app.addHook('onClose', async () => (await loading)?.close());
}

async function openReference(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const page = Fastify();
  await page.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
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
  await page.ready();
  return page;
}

/** What a status says, for the reader of the OpenAPI document. */
const meanings: Record<number, string> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted; it happens later.',
  204: 'Done; there is nothing to say.',
  302: 'Go on at the address in `location`.',
  307: 'It is at the address in `location`.',
  400: 'The request is not valid.',
  401: 'No key or sign-in, or one that does not work.',
  402: 'A budget is used up.',
  403: 'The key lacks the scope, or may not be used from this address.',
  404: 'There is no such thing here.',
  409: 'It does not fit the present state.',
  410: 'It is gone.',
  412: 'The object was changed meanwhile.',
  413: 'The body is too large.',
  415: 'The body is of another media type than the operation takes.',
  422: 'The request is not valid.',
  429: 'Too many requests; `retry-after` says when to come back.',
  500: 'Something failed on our side.',
  502: 'Something that this depends on failed.',
  503: 'No capacity; try again.',
  504: 'It took too long.',
};

const Operation = Type.Object({ responses: Type.Record(Type.String(), Type.Object({})) });
const WithBody = Type.Object({
  requestBody: Type.Object({
    content: Type.Object({ 'application/json': Type.Object({ schema: Type.Object({ $ref: Type.String() }) }) }),
  }),
});

/** What the plugin cannot know: what each status means, and that a body which requires nothing may be left out. */
function complete(document: { paths?: object }): void {
  for (const path of Object.values(document.paths ?? {}))
    for (const operation of Object.values(path ?? {})) {
      if (Value.Check(Operation, operation))
        for (const [status, response] of Object.entries(operation.responses))
          Object.assign(response, { description: meanings[Number(status)] });
      if (!Value.Check(WithBody, operation)) continue;
      const { $ref } = operation.requestBody.content['application/json'].schema;
      const schema = components.get($ref.split('/').at(-1) ?? '');
      Object.assign(operation.requestBody, { required: schema !== undefined && 'required' in schema });
    }
}

function tagsOf(features: readonly Feature[]): { name: string; description: string }[] {
  const shown = features.filter(({ description }) => description !== '');
  return [...new Map(shown.map(({ tag, description }) => [tag, { name: tag, description }])).values()];
}
