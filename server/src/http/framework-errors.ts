import type { FastifyError, FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';
import { FieldError } from '../lib/field-error.ts';

/** The maximum length of a path segment, in characters. */
export const maxParamLength = 1_000;

/** Maps errors that Fastify raises to those of the contract; undefined for another error. */
export function frameworkError(error: unknown, request: FastifyRequest): AppError | undefined {
  if (isCut(error, request))
    return new AppError(
      'invalid_request',
      'The connection ended before the body was complete. Send the whole request again.',
    );
  if (!isFastifyError(error)) return undefined;
  const path = { in: 'path', path: '', input: pathOf(request).slice(0, 2_000) } as const;
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError(
        'payload_too_large',
        `The body exceeds the limit of this operation, ${request.routeOptions.bodyLimit} bytes. Send a smaller one.`,
      );
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_EMPTY_TYPE':
      return new AppError('unsupported_media_type', 'Send the body as application/json.');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new FieldError([
        { in: 'header', path: '/content-length', message: 'differs from the length of the body' },
      ]);
    case 'FST_ERR_BAD_URL':
      return new FieldError([{ ...path, keyword: 'characters', message: 'is not a valid URL path' }]);
    case 'FST_ERR_MAX_PARAM_LENGTH': {
      const message = `has a segment of more than ${maxParamLength} characters`;
      return new FieldError([{ ...path, keyword: 'maxLength', params: { limit: maxParamLength }, message }]);
    }
    default:
      return error.statusCode !== undefined && error.statusCode < 500
        ? new FieldError([{ in: 'body', path: '', message: `: ${error.message}` }])
        : undefined;
  }
}

/** Returns true for an error that comes from a client that went away while it sent the body; node raises it like a lost connection of ours. */
function isCut(error: unknown, { raw }: FastifyRequest): boolean {
  const seen = new Set<unknown>();
  for (let cause = error; cause instanceof Error && !seen.has(cause); cause = cause.cause) {
    if (cause === raw.errored) return true;
    seen.add(cause);
  }
  return false;
}

function isFastifyError(error: unknown): error is FastifyError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('FST_');
}

export function pathOf({ url }: Pick<FastifyRequest, 'url'>): string {
  return url.split('?', 1)[0] ?? '';
}
