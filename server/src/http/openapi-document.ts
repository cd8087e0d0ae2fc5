import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { components, needsBody } from './schema.ts';
import { moveExamples } from './examples.ts';
import { responseHeaders, headersOfFailure, takeHeaders } from './openapi-headers.ts';
import { describeComponents, describeParameter } from './openapi-fields.ts';

/** The descriptions of success statuses in the OpenAPI document. */
const meanings: Record<number, string> = {
  101: 'The connection is a WebSocket now.',
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted; processed later.',
  204: 'Done; no content.',
  302: 'Redirects to the URL in `location`.',
  304: 'Not modified: `If-None-Match` names the current state.',
  307: 'Redirects to the URL in `location`.',
};

/** The plugin's description of a response that has none. */
const unsaid = 'Default Response';

/** Errors look the same everywhere, so the document has each once: by status, its name and description. */
const failures: Record<number, { name: string; description: string }> = {
  400: { name: 'InvalidRequest', description: 'The request is invalid.' },
  401: { name: 'Unauthorized', description: 'The key or sign-in is missing or invalid.' },
  402: { name: 'BudgetExceeded', description: 'A budget is exhausted.' },
  403: { name: 'Forbidden', description: 'The key lacks the scope, or may not be used from this address.' },
  404: { name: 'NotFound', description: 'The resource does not exist.' },
  409: { name: 'Conflict', description: 'The request conflicts with the current state.' },
  410: { name: 'Gone', description: 'The resource no longer exists.' },
  412: { name: 'RevisionConflict', description: 'The object was changed in the meantime.' },
  413: { name: 'PayloadTooLarge', description: 'The body is too large.' },
  415: { name: 'UnsupportedMediaType', description: 'The operation does not accept the media type of the body.' },
  422: { name: 'ValidationFailed', description: 'The request is invalid.' },
  426: { name: 'UpgradeRequired', description: 'The operation needs a WebSocket.' },
  429: { name: 'RateLimited', description: 'Too many requests; `retry-after` says when to retry.' },
  500: { name: 'InternalFailure', description: 'Internal error.' },
  502: { name: 'UpstreamFailure', description: 'An external service failed.' },
  503: { name: 'CapacityUnavailable', description: 'No capacity; `retry-after` says when to retry.' },
  504: { name: 'TookTooLong', description: 'Timed out.' },
};

const Operation = Type.Object({
  responses: Type.Record(Type.String(), Type.Unknown()),
  parameters: Type.Optional(Type.Array(Type.Object({ name: Type.String(), in: Type.String() }))),
});
const WithBody = Type.Object({
  requestBody: Type.Object({
    content: Type.Object({ 'application/json': Type.Object({ schema: Type.Object({ $ref: Type.String() }) }) }),
  }),
});
const WithForm = Type.Object({
  requestBody: Type.Object({ content: Type.Object({ 'multipart/form-data': Type.Object({}) }) }),
});

/**
 * Completes the document with facts that the plugin does not know: descriptions and headers of statuses, optional bodies, and
 * common fields and parameters.
 */
export function completeDocument(
  document: { paths?: object; components?: object },
  errorCodes: readonly string[],
): void {
  const responses: Record<string, unknown> = {};
  for (const [path, methods] of Object.entries(document.paths ?? {}))
    for (const [method, operation] of Object.entries(methods ?? {})) {
      if (Value.Check(Operation, operation)) {
        const headers = takeHeaders(operation);
        for (const [status, response] of Object.entries(operation.responses))
          operation.responses[status] = completeResponse(response, Number(status), headers[status], responses);
        for (const parameter of operation.parameters ?? []) describeParameter(parameter, path);
      }
      if (Value.Check(WithBody, operation)) {
        const json = operation.requestBody.content['application/json'];
        const { $ref } = json.schema;
        const schema = components.get($ref.split('/').at(-1) ?? '');
        Object.assign(operation.requestBody, { required: schema !== undefined && needsBody(method, schema) });
        moveExamples(operation, json);
      } else if (Value.Check(WithForm, operation)) {
        moveExamples(operation, operation.requestBody.content['multipart/form-data']);
      }
    }
  const schemas = describeComponents(Object(Object(document.components).schemas));
  const { properties } = Object(Object(schemas)['Error']);
  Object.assign(Object(properties).error, { description: `Machine-readable code: ${errorCodes.join(', ')}.` });
  document.components = { ...document.components, schemas, responses, headers: responseHeaders };
}

/** Returns the response with its headers; for an error, a reference to the shared response. */
function completeResponse(
  response: unknown,
  status: number,
  headers: unknown,
  responses: Record<string, unknown>,
): unknown {
  const failure = failures[status];
  if (failure === undefined) {
    const { description, ...rest } = Object(response);
    return {
      description: description === unsaid ? meanings[status] : description,
      ...rest,
      ...(headers === undefined ? {} : { headers }),
    };
  }
  const { name, description } = failure;
  responses[name] ??= { ...Object(response), description, headers: headersOfFailure(status) };
  return { $ref: `#/components/responses/${name}` };
}

/** Returns the last sentence of an operation's description: who may call it. */
export function whoMayCall(scope: string, { persons }: { persons: boolean }): string {
  if (scope === 'none') return 'Needs no key.';
  const sentence = scope === 'any' ? 'Accepts any valid key.' : `Needs the scope \`${scope}\`.`;
  return persons ? `${sentence} Users only: with a personal key, or signed in.` : sentence;
}

/**
 * Returns the same for programs, as extensions of the operation. A list of scopes below `security` is for OAuth and OpenID
 * Connect alone, by most tools.
 */
export function accessOf(scope: string, { persons }: { persons: boolean }): Record<string, unknown> {
  return {
    'x-scope': scope,
    ...(persons ? { 'x-persons-only': true } : {}),
    ...(scope === 'none' ? { security: [] } : {}),
  };
}
