import { isStored } from './idempotency.ts';

/** The headers of responses; the OpenAPI document describes each once. */
const integer = { type: 'integer', minimum: 0 };
const text = { type: 'string' };
export const responseHeaders = {
  'x-request-id': { description: "Identifies the request in the server's log.", schema: text },
  'ratelimit-limit': {
    description:
      'The maximum burst of requests: of the key, or of all keys and sign-ins of its owner, whichever limit is nearer.',
    schema: integer,
  },
  'ratelimit-remaining': { description: 'The requests left now.', schema: integer },
  'ratelimit-reset': { description: 'Seconds until the full burst is available again.', schema: integer },
  'retry-after': { description: 'Seconds to wait before a retry.', schema: integer },
  'idempotent-replayed': {
    description: '`true` when this is the stored response to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
  location: {
    description: 'The URL of the redirect.',
    schema: { type: 'string', format: 'uri-reference' },
  },
  'set-cookie': { description: 'Sets or deletes the cookie of the sign-in; hidden from scripts.', schema: text },
  etag: {
    description: 'Identifies this state of the record: send it as `If-Match` to change that state only.',
    schema: text,
  },
  'content-disposition': { description: 'Names the file: `attachment; filename="…"`.', schema: text },
  'www-authenticate': { description: 'The way to authenticate: `Bearer`.', schema: text },
};

export type ResponseHeader = keyof typeof responseHeaders;

const ofEveryResponse = ['x-request-id'] as const;
const ofLimits = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'] as const;

/** The extension of an operation that holds the headers of its success until the document is complete. */
const headersKey = 'x-response-headers';

/** Returns the headers of an operation's success by status, those of its kind and its own; {@link takeHeaders} moves them. */
export function headersField(operation: {
  method: string;
  status: number;
  scope: string;
  sends?: readonly ResponseHeader[];
  hasETag: boolean;
  caches: boolean;
  empty?: string;
}): Record<string, unknown> {
  const { method, status, scope, sends = [], hasETag, caches, empty } = operation;
  const hasCaller = scope !== 'none';
  const names: readonly ResponseHeader[] = [
    ...ofEveryResponse,
    ...(hasCaller ? ofLimits : []),
    ...(hasCaller && method === 'POST' ? (['idempotent-replayed'] as const) : []),
    ...(status >= 300 ? (['location'] as const) : []),
    ...(hasETag ? (['etag'] as const) : []),
    ...sends,
  ];
  const headers = headersNamed(names);
  const others = [...(caches ? [304] : []), ...(empty === undefined ? [] : [204])];
  return { [headersKey]: Object.fromEntries([status, ...others].map((one) => [one, headers])) };
}

export function takeHeaders(operation: object): Record<string, unknown> {
  const headers: unknown = Reflect.get(operation, headersKey);
  Reflect.deleteProperty(operation, headersKey);
  return Object(headers);
}

/** Returns the headers of a failure. Those of limits come as soon as the caller is known, so 401 has none. */
export function headersOfFailure(status: number): Record<string, unknown> {
  return headersNamed([
    ...ofEveryResponse,
    ...(status === 401 ? (['www-authenticate'] as const) : ofLimits),
    ...(status === 429 || status === 503 ? (['retry-after'] as const) : []),
    ...(isStored(status) ? (['idempotent-replayed'] as const) : []),
  ]);
}

function headersNamed(names: readonly ResponseHeader[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
