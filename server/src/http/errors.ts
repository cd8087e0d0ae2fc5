import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, ProviderError, statusOf } from '../lib/errors.ts';
import { FieldError, fieldNames } from '../lib/field-error.ts';
import { stepsOf } from '../lib/json-pointer.ts';
import { databaseFailure } from './database-errors.ts';
import { escapeHtml, sendPage } from './page.ts';
import { frameworkError, pathOf } from './framework-errors.ts';
import { inputErrorOf, issuesOf, placeOf } from './issues.ts';
import { codeOfIssue, detailOf } from './validation-detail.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The first path segments of unversioned operations. */
    unversionedPlaces: Set<string>;
  }
}

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
    const known = inputErrorOf(error) ?? frameworkError(error, request) ?? error;
    return isInvalid(known) && request.routeOptions.config.unversioned === true
      ? sendDetail(request, reply, known)
      : send(request, reply, describe(known, request));
  });
  app.setNotFoundHandler((request, reply) => send(request, reply, nothingAnswers(request)));
}

/** Handles errors that Fastify raises before routing, and so before any hook: an invalid path, or a segment that is too long. */
export function answerFrameworkError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  const known = frameworkError(error, request) ?? error;
  if (isInvalid(known) && isUnversioned(request)) void sendDetail(request, reply, known);
  else if (error.code === 'FST_ERR_MAX_PARAM_LENGTH') void send(request, reply, nothingAnswers(request));
  else void send(request, reply, describe(known, request));
}

/** Returns the body of a 500 in the envelope of the request's mount. */
export function internalError(request: FastifyRequest): Record<string, unknown> {
  return envelopeOf(request, 'internal_error', 'Internal error. Search the server log for the request_id.');
}

function nothingAnswers(request: FastifyRequest): Envelope {
  const path = pathOf(request).slice(0, 200);
  return { status: 404, error: 'not_found', message: `No such endpoint: ${request.method} ${path}.` };
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
  const page = pageFor(request, envelope);
  if (page !== undefined) return sendPage(reply, { status, ...page });
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(envelopeOf(request, error, message, details));
}

/** Returns the page that answers a browser's address bar or a link; undefined where JSON is expected. */
function pageFor({ headers, routeOptions: { config } }: FastifyRequest, { status, message }: Envelope) {
  if (!(headers.accept ?? '').includes('text/html')) return undefined;
  const text = `<p>${escapeHtml(message)}</p>`;
  // Another site sent the browser here.
  if (config?.inBrowser === true)
    return {
      title: 'You are not signed in',
      body: `${text}<a class="button" href="/console/-/sign-in">Back to signing in</a>`,
    };
  // Operations declare their statuses. Other addresses are those that a person typed, or of a link that was cut.
  if (config?.statuses !== undefined || (status !== 400 && status !== 404)) return undefined;
  return { title: 'Not here', body: `${text}<a class="button" href="/console/">To the console</a>` };
}

/** Returns true for failed validation, which has an envelope of its own on unversioned operations. */
function isInvalid(error: unknown): error is FieldError {
  return error instanceof FieldError && (error.code === 'invalid_request' || error.code === 'invalid_json');
}

function sendDetail(request: FastifyRequest, reply: FastifyReply, error: FieldError): FastifyReply {
  return reply.code(422).send({ detail: issuesOf(error, request).map((issue) => detailOf(issue, request)) });
}

function describe(error: unknown, request: FastifyRequest): Envelope {
  if (error instanceof FieldError) return describeInput(error, request);
  if (error instanceof AppError) {
    const { code, message, details } = error;
    return { status: statusOf(code), error: code, message, details };
  }
  if (error instanceof ProviderError) {
    request.log.warn({ err: error }, 'a provider failed');
    return { status: 502, error: 'upstream_error', message: error.message };
  }
  const known = databaseFailure(error, request);
  if (known !== undefined) return known;
  request.log.error({ err: error }, 'unexpected failure');
  return {
    status: 500,
    error: 'internal_error',
    message: 'Internal error. Search the server log for the request_id.',
  };
}

function describeInput(error: FieldError, request: FastifyRequest): Envelope {
  const { code, details } = error;
  const issues = issuesOf(error, request);
  const told = issues.map(({ in: place, path, message, file, line, ...broken }) => ({
    in: place,
    path: stepsOf(path),
    code: codeOfIssue(broken),
    message,
    file,
    line,
  }));
  const message = error.messageWith((path) =>
    fieldNames(issues.find((one) => one.path === path)?.in ?? placeOf(request, path))(path),
  );
  return { status: statusOf(code), error: code, message, details: { ...details, issues: told } };
}
