import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, ProviderError, statusOf } from '../lib/errors.ts';
import { FieldError, fieldNames } from '../lib/field-error.ts';
import { databaseFailure } from './database-errors.ts';
import { escapeHtml, sendPage } from './page.ts';
import { placeOf, problemsOf, sentenceOf, type Problem } from './problems.ts';
import { detailOf } from './validation-detail.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The first path segments of unversioned operations. */
    unversionedPlaces: Set<string>;
  }
}

/** The maximum length of a path segment, in characters. */
export const maxParamLength = 1_000;

interface Envelope {
  status: number;
  error: string;
  message: string;
  details?: Record<string, unknown> | undefined;
}

/**
 * Formats errors in one of the two envelopes of the API, by the route's mount: `{error, message, details?, request_id}` on
 * `/v3`; on unversioned operations `{detail: […]}` for failed validation and `{error, message}` for the rest.
 */
export function installErrors(app: FastifyInstance): void {
  const places = new Set<string>();
  app.decorate('unversionedPlaces', places);
  app.addHook('onRoute', ({ url, config }) => {
    if (config?.unversioned === true) places.add(firstStep(url));
  });
  app.setErrorHandler((error: unknown, request, reply) => {
    const validation = problemsOf(error, request);
    if (validation !== undefined && request.routeOptions.config.unversioned === true)
      return reply.code(422).send({ detail: validation.map((entry) => detailOf(entry, request)) });
    return send(request, reply, describe(error, request));
  });
  app.setNotFoundHandler((request, reply) => send(request, reply, nothingAnswers(request)));
}

/** Handles errors that Fastify raises before routing, and so before any hook: an invalid path, or a segment that is too long. */
export function answerFrameworkError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  const isTooLong = error.code === 'FST_ERR_MAX_PARAM_LENGTH';
  if (isUnversioned(request) && (isTooLong || error.code === 'FST_ERR_BAD_URL')) {
    const keyword = isTooLong ? 'maxLength' : 'characters';
    const message = isTooLong ? `has a segment of more than ${maxParamLength} characters` : 'is not a valid URL path';
    const input = pathOf(request).slice(0, 2_000);
    const problem = { where: 'path', path: '', keyword, params: { limit: maxParamLength }, message, input };
    void reply.code(422).send({ detail: [detailOf(problem, request)] });
  } else void send(request, reply, isTooLong ? nothingAnswers(request) : describe(error, request));
}

/** Returns the body of a 500 in the envelope of the request's mount. */
export function internalError(request: FastifyRequest): Record<string, unknown> {
  return envelopeOf(request, 'internal_error', 'Internal error. Search the server log for the request_id.');
}

function nothingAnswers(request: FastifyRequest): Envelope {
  const path = pathOf(request).slice(0, 200);
  return { status: 404, error: 'not_found', message: `No such endpoint: ${request.method} ${path}.` };
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] ?? '';
}

function firstStep(path: string): string {
  return path.split('/')[1] ?? '';
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

/** Returns true if an unknown path shares its first segment with an unversioned operation. */
function isUnversioned(request: FastifyRequest): boolean {
  const { unversioned } = request.routeOptions.config ?? {};
  return unversioned ?? request.server.unversionedPlaces.has(firstStep(pathOf(request)));
}

function send(request: FastifyRequest, reply: FastifyReply, envelope: Envelope): FastifyReply {
  const { status, error, message, details } = envelope;
  request.errorCode = error;
  // A 503 was logged already or passes by itself. External failures are usually caused by the caller's choice.
  if (status >= 500 && status !== 503) request.log[status === 500 ? 'error' : 'info']({ status, error }, message);
  const wait = details?.['retry_after_seconds'];
  if ((status === 429 || status === 503) && !reply.hasHeader('retry-after'))
    reply.header('retry-after', String(typeof wait === 'number' ? wait : 1));
  if (status === 401)
    reply.header(
      'www-authenticate',
      request.routeOptions.config?.basic === true ? 'Basic realm="Guildhall"' : 'Bearer',
    );
  // Another site sent the browser here, so a person reads the response.
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
  const validation = problemsOf(error, request);
  if (validation !== undefined) return invalid(validation);
  if (error instanceof AppError) {
    const { code, details } = error;
    return { status: statusOf(code), error: code, message: messageTo(request, error), details };
  }
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
    message: 'Internal error. Search the server log for the request_id.',
  };
}

/** Says of a field where in the request it stands. */
function messageTo(request: FastifyRequest, error: AppError): string {
  return error instanceof FieldError
    ? error.messageWith((path) => fieldNames(placeOf(request, path))(path))
    : error.message;
}

/** Maps errors that Fastify raises to those of the contract. */
function frameworkError(error: FastifyError): Envelope | undefined {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return { status: 413, error: 'payload_too_large', message: 'The body exceeds the size limit of this operation.' };
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_EMPTY_TYPE':
      return { status: 415, error: 'unsupported_media_type', message: 'Send the body as application/json.' };
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return { status: 400, error: 'invalid_request', message: 'The length of the body differs from content-length.' };
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

function invalid(problems: Problem[]): Envelope {
  return {
    status: 400,
    error: problems[0]?.code ?? 'invalid_request',
    message: sentenceOf(problems),
    details: { problems: problems.slice(0, 50).map(({ where, path, message }) => ({ in: where, path, message })) },
  };
}
