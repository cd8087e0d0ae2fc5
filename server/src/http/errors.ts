import type {
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchemaValidationError,
} from 'fastify';
import { AppError, ProviderError, statusOf } from '../lib/errors.ts';
import { databaseFailure } from './database-errors.ts';
import { escapeHtml, sendPage } from './page.ts';

interface Envelope {
  status: number;
  error: string;
  message: string;
  details?: Record<string, unknown> | undefined;
}

/**
 * The two error envelopes of the API, chosen by the route's mount: `{error, message, details?, request_id}` on `/v3`,
 * `{detail: […]}` for failed validation and `{error, message}` for the rest on the unversioned operations.
 */
export function installErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: unknown, request, reply) => {
    const validation = validationOf(error);
    if (validation !== undefined && request.routeOptions.config.unversioned === true)
      return reply.code(422).send({ detail: validation.map((entry) => detailOf(entry, request)) });
    return send(request, reply, describe(error, request));
  });
  app.setNotFoundHandler((request, reply) => send(request, reply, nothingAnswers(request)));
}

/** What Fastify refuses before it looks for a route, so without any hook: a path it cannot decode, or a part too long. */
export function answerFrameworkError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  const known = error.code === 'FST_ERR_MAX_PARAM_LENGTH' ? nothingAnswers(request) : describe(error, request);
  send(request, reply, known);
}

/** The body of a 500, in the envelope of the request's mount. */
export function internalError(request: FastifyRequest): Record<string, unknown> {
  return envelopeOf(request, 'internal_error', 'Something failed on our side; the request id finds it in the log.');
}

function nothingAnswers(request: FastifyRequest): Envelope {
  const path = request.url.split('?', 1)[0]?.slice(0, 200);
  return { status: 404, error: 'not_found', message: `Nothing answers ${request.method} ${path}.` };
}

function envelopeOf(
  request: FastifyRequest,
  error: string,
  message: string,
  details?: Record<string, unknown>,
): Record<string, unknown> {
  if (isUnversioned(request)) return { error, message };
  return { error, message, ...(details === undefined ? {} : { details }), request_id: request.id };
}

/** An unknown path has no route to tell its mount. */
function isUnversioned(request: FastifyRequest): boolean {
  return request.routeOptions.config?.unversioned ?? (request.is404 && !request.url.startsWith('/v3'));
}

function send(request: FastifyRequest, reply: FastifyReply, envelope: Envelope): FastifyReply {
  const { status, error, message, details } = envelope;
  request.errorCode = error;
  // Whoever answers 503 has said why already, or it passes by itself.
  if (status >= 500 && status !== 503) request.log.error({ status, error }, message);
  const wait = details?.['retry_after_seconds'];
  if ((status === 429 || status === 503) && !reply.hasHeader('retry-after'))
    reply.header('retry-after', String(typeof wait === 'number' ? wait : 1));
  if (status === 401)
    reply.header(
      'www-authenticate',
      request.routeOptions.config?.basic === true ? 'Basic realm="Guildhall"' : 'Bearer',
    );
  // Where a browser is sent by somebody else, a person reads the answer.
  if (request.routeOptions.config?.inBrowser === true && (request.headers.accept ?? '').includes('text/html'))
    return sendPage(reply, {
      status,
      title: 'You are not signed in',
      body: `<p>${escapeHtml(message)}</p><a class="button" href="/sign-in">Back to signing in</a>`,
    });
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(envelopeOf(request, error, message, details));
}

function describe(error: unknown, request: FastifyRequest): Envelope {
  if (error instanceof AppError)
    return { status: statusOf(error.code), error: error.code, message: error.message, details: error.details };
  const validation = validationOf(error);
  if (validation !== undefined) return invalid(validation);
  if (error instanceof ProviderError) {
    request.log.warn({ err: error }, 'a provider failed');
    return { status: 502, error: 'upstream_error', message: error.message };
  }
  const known = isFastifyError(error) ? frameworkError(error) : databaseFailure(error, request);
  if (known !== undefined) return known;
  request.log.error({ err: error }, 'unexpected failure');
  return {
    status: 500,
    error: 'internal_error',
    message: 'Something failed on our side; the request id finds it in the log.',
  };
}

/** Failures that Fastify raises itself, in the words of the contract. */
function frameworkError(error: FastifyError): Envelope | undefined {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return { status: 413, error: 'payload_too_large', message: 'The body is larger than this operation takes.' };
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_EMPTY_TYPE':
      return { status: 415, error: 'unsupported_media_type', message: 'Send the body as application/json.' };
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return { status: 400, error: 'invalid_request', message: 'The body is not as long as content-length says.' };
    case 'FST_ERR_BAD_URL':
      return { status: 400, error: 'invalid_request', message: 'The path is not a valid URL path.' };
    default:
      return error.statusCode !== undefined && error.statusCode < 500
        ? { status: 400, error: 'invalid_request', message: error.message }
        : undefined;
  }
}

function isFastifyError(error: unknown): error is FastifyError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('FST_');
}

/** One thing that is wrong with a request; `path` is a JSON pointer into `where`. */
export interface Problem {
  where: string;
  path: string;
  keyword: string;
  params: Record<string, unknown>;
  message: string;
}

/** A request that was refused before its handler: thrown by the body parser and the character check. */
export class InvalidRequest extends Error {
  readonly problems: Problem[];
  readonly code: 'invalid_request' | 'invalid_json';

  constructor(problems: Problem[], code: 'invalid_request' | 'invalid_json' = 'invalid_request') {
    super(sentenceOf(problems));
    this.problems = problems;
    this.code = code;
  }
}

/** What no schema says of a field of the body; `path` is a JSON pointer into it. */
export function invalidField(path: string, message: string): InvalidRequest {
  return new InvalidRequest([{ where: 'body', path, keyword: 'value', params: {}, message }]);
}

/** What people call the parts of a request that Fastify names otherwise. */
const places: Record<string, string> = { querystring: 'query', params: 'path', headers: 'header' };

function validationOf(error: unknown): (Problem & { code?: string })[] | undefined {
  if (error instanceof InvalidRequest) return error.problems.map((problem) => ({ ...problem, code: error.code }));
  if (!(error instanceof Error) || !('validation' in error) || !Array.isArray(error.validation)) return undefined;
  const context = 'validationContext' in error ? String(error.validationContext) : 'body';
  return error.validation.filter(isAjvError).map((entry) => problemOf(entry, places[context] ?? context));
}

function isAjvError(entry: unknown): entry is FastifySchemaValidationError {
  return typeof entry === 'object' && entry !== null && 'instancePath' in entry && 'keyword' in entry;
}

function problemOf(entry: FastifySchemaValidationError, where: string): Problem & { code?: string } {
  const { missingProperty, additionalProperty } = entry.params;
  const key = typeof missingProperty === 'string' ? missingProperty : additionalProperty;
  const step = typeof key === 'string' ? `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}` : '';
  const path = `${entry.instancePath}${step}`;
  const message =
    entry.keyword === 'additionalProperties'
      ? 'is not a known key'
      : entry.keyword === 'required'
        ? 'is required'
        : entry.keyword === 'enum'
          ? `must be one of ${JSON.stringify(entry.params['allowedValues'])}`
          : (entry.message ?? 'is invalid');
  return { where, path, keyword: entry.keyword, params: entry.params, message, ...codeOf(entry) };
}

/** The steps of a JSON pointer. */
function stepsOf(path: string): string[] {
  const [, ...steps] = path.split('/');
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A field may have a code of its own for being missing or empty: `x-error-code` in its schema. */
function codeOf(entry: FastifySchemaValidationError): { code?: string } {
  const { missingProperty } = entry.params;
  if (entry.keyword !== 'minLength' && typeof missingProperty !== 'string') return {};
  const parent: unknown = 'parentSchema' in entry ? entry.parentSchema : undefined;
  const field = typeof missingProperty === 'string' ? valueAt(parent, ['properties', missingProperty]) : parent;
  const code = valueAt(field, ['x-error-code']);
  return typeof code === 'string' ? { code } : {};
}

/** The first problem, with its place. */
function sentenceOf([first]: readonly Problem[]): string {
  const place = first === undefined ? 'The request' : [first.where, ...stepsOf(first.path)].join('.');
  return `${place} ${first?.message ?? 'is invalid'}.`;
}

function invalid(problems: (Problem & { code?: string })[]): Envelope {
  return {
    status: 400,
    error: problems[0]?.code ?? 'invalid_request',
    message: sentenceOf(problems),
    details: { problems: problems.slice(0, 50).map(({ where, path, message }) => ({ in: where, path, message })) },
  };
}

/** Pydantic's names for what went wrong, as the clients of the unversioned operations know them. */
const detailTypes: Record<string, string> = {
  required: 'missing',
  enum: 'enum',
  maxLength: 'string_too_long',
  minLength: 'string_too_short',
  minimum: 'greater_than_equal',
  maximum: 'less_than_equal',
  pattern: 'string_pattern_mismatch',
  minProperties: 'too_short',
  minItems: 'too_short',
  maxItems: 'too_long',
};

function detailOf(problem: Problem & { code?: string }, request: FastifyRequest): Record<string, unknown> {
  const { where } = problem;
  const steps = stepsOf(problem.path);
  const sources: Record<string, unknown> = { query: request.query, path: request.params, header: request.headers };
  const source = where in sources ? sources[where] : request.body;
  const expected = problem.params['type'];
  const type =
    problem.code === 'invalid_json'
      ? 'json_invalid'
      : problem.keyword === 'type'
        ? `${typeof expected === 'string' ? expected.replace('integer', 'int').replace('number', 'float').replace('boolean', 'bool') : 'value'}_type`
        : (detailTypes[problem.keyword] ?? problem.keyword);
  return {
    loc: [where, ...steps],
    msg: problem.message,
    type,
    input: valueAt(source, problem.keyword === 'required' ? steps.slice(0, -1) : steps),
    ctx: problem.params,
  };
}

function valueAt(source: unknown, steps: string[]): unknown {
  let value = source ?? null;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null) return null;
    value = Object.entries(value).find(([key]) => key === step)?.[1] ?? null;
  }
  return value;
}
