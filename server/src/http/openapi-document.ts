import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { components, needsBody } from './schema.ts';
import { moveExamples } from './examples.ts';
import { describeComponents, describeParameter } from './openapi-fields.ts';

/** What a status says, for the reader of the OpenAPI document. */
const meanings: Record<number, string> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted; it happens later.',
  204: 'Done; there is nothing to say.',
  302: 'Go on at the address in `location`.',
  307: 'It is at the address in `location`.',
};

/** Failures look the same everywhere, so the document has each once: by status, its name and what it says. */
const failures: Record<number, { name: string; description: string }> = {
  400: { name: 'InvalidRequest', description: 'The request is not valid.' },
  401: { name: 'Unauthorized', description: 'No key or sign-in, or one that does not work.' },
  402: { name: 'BudgetExceeded', description: 'A budget is used up.' },
  403: { name: 'Forbidden', description: 'The key lacks the scope, or may not be used from this address.' },
  404: { name: 'NotFound', description: 'There is no such thing here.' },
  409: { name: 'Conflict', description: 'It does not fit the present state.' },
  410: { name: 'Gone', description: 'It is gone.' },
  412: { name: 'RevisionConflict', description: 'The object was changed meanwhile.' },
  413: { name: 'PayloadTooLarge', description: 'The body is too large.' },
  415: { name: 'UnsupportedMediaType', description: 'The body is of another media type than the operation takes.' },
  422: { name: 'ValidationFailed', description: 'The request is not valid.' },
  429: { name: 'RateLimited', description: 'Too many requests; `retry-after` says when to come back.' },
  500: { name: 'InternalFailure', description: 'Something failed on our side.' },
  502: { name: 'UpstreamFailure', description: 'Something that this depends on failed.' },
  503: { name: 'CapacityUnavailable', description: 'No capacity; `retry-after` says when to come back.' },
  504: { name: 'TookTooLong', description: 'It took too long.' },
};

const integer = { type: 'integer', minimum: 0 };
const headers = {
  'x-request-id': { description: "Names the request in the server's log.", schema: { type: 'string' } },
  'ratelimit-limit': {
    description:
      'Requests that may be sent in one burst: by the key, or by all that its owner has where that limit is nearer.',
    schema: integer,
  },
  'ratelimit-remaining': { description: 'What is left of them now.', schema: integer },
  'ratelimit-reset': { description: 'Seconds until all of them are there again.', schema: integer },
  'retry-after': { description: 'Seconds to wait before the request is sent again.', schema: integer },
  'idempotent-replayed': {
    description: '`true` when this is the stored answer to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
};

function headersNamed(...names: (keyof typeof headers)[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const Operation = Type.Object({
  responses: Type.Record(Type.String(), Type.Unknown()),
  parameters: Type.Optional(Type.Array(Type.Object({ name: Type.String(), in: Type.String() }))),
});
const WithBody = Type.Object({
  requestBody: Type.Object({
    content: Type.Object({ 'application/json': Type.Object({ schema: Type.Object({ $ref: Type.String() }) }) }),
  }),
});

/**
 * Adds what the plugin cannot know: what each status says and which headers come with it, that a body which requires
 * nothing may be left out, and what fields and parameters mean that mean the same everywhere.
 */
export function completeDocument(
  document: { paths?: object; components?: object },
  errorCodes: readonly string[],
): void {
  const responses: Record<string, unknown> = {};
  for (const [path, methods] of Object.entries(document.paths ?? {}))
    for (const [method, operation] of Object.entries(methods ?? {})) {
      if (Value.Check(Operation, operation)) {
        for (const [status, response] of Object.entries(operation.responses))
          operation.responses[status] = completeResponse(response, Number(status), method, responses);
        for (const parameter of operation.parameters ?? []) describeParameter(parameter, path);
      }
      if (Value.Check(WithBody, operation)) {
        const json = operation.requestBody.content['application/json'];
        const { $ref } = json.schema;
        const schema = components.get($ref.split('/').at(-1) ?? '');
        Object.assign(operation.requestBody, { required: schema !== undefined && needsBody(method, schema) });
        moveExamples(operation, json);
      }
    }
  const schemas = describeComponents(Object(Object(document.components).schemas));
  const { properties } = Object(Object(schemas)['Error']);
  Object.assign(Object(properties).error, { description: `Machine-readable code: ${errorCodes.join(', ')}.` });
  document.components = { ...document.components, schemas, responses, headers };
}

/** The response with its headers; a failure as a reference to the one that all operations share. */
function completeResponse(response: unknown, status: number, method: string, responses: Record<string, unknown>) {
  const failure = failures[status];
  if (failure === undefined) {
    const replayed = method === 'post' ? headersNamed('idempotent-replayed') : {};
    return {
      ...Object(response),
      description: meanings[status],
      headers: {
        ...headersNamed('x-request-id', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'),
        ...replayed,
      },
    };
  }
  const { name, description } = failure;
  const wait = status === 429 || status === 503 ? headersNamed('retry-after') : {};
  responses[name] ??= { ...Object(response), description, headers: { ...headersNamed('x-request-id'), ...wait } };
  return { $ref: `#/components/responses/${name}` };
}

/** Who may call an operation: the last sentence of its description. */
export function whoMayCall(scope: string, { persons }: { persons: boolean }): string {
  if (scope === 'none') return 'Takes no key.';
  const sentence = scope === 'any' ? 'Takes any valid key.' : `Needs the scope \`${scope}\`.`;
  return persons ? `${sentence} For persons only: with a personal key or signed in.` : sentence;
}

/** Of each way to authenticate, the scope that the caller needs. */
export function securityOf(scope: string): Record<string, string[]>[] {
  if (scope === 'none') return [];
  const scopes = scope === 'any' ? [] : [scope];
  return [{ key: scopes }, { cookie: scopes }];
}
