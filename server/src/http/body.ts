import type { FastifyInstance, FastifyRequest } from 'fastify';
import { excessOf, maxJsonDepth, maxJsonValues, unkeepable } from '../lib/json-limits.ts';
import { faultOf, placeIn } from './json-fault.ts';
import { AppError } from '../lib/errors.ts';
import { FieldError, type FieldIssue } from '../lib/field-error.ts';
import { pointerStep, stepsOf } from '../lib/json-pointer.ts';
import { valueAt } from './issues.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The JSON body as received, for the comparison of idempotent requests; empty without one. */
    rawBody: string;
  }
}

const bodyLimits = { values: maxJsonValues, depth: maxJsonDepth };
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Accepts only JSON in UTF-8, without prototype keys, U+0000 or lone surrogates. */
export function installBody(app: FastifyInstance): void {
  app.decorateRequest('rawBody', '');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, payload: Buffer) => {
      const coding = request.headers['content-encoding']?.trim().toLowerCase() ?? '';
      if (coding !== '' && coding !== 'identity')
        throw new AppError('unsupported_media_type', 'Send the body uncompressed, without Content-Encoding.');
      if (payload.length === 0) {
        if (request.routeOptions.config.needsBody === true) throw notJson('it is empty');
        return undefined;
      }
      const value = parseBody(payload);
      request.rawBody = payload.toString('utf8');
      return value;
    },
  );
  app.addHook('preValidation', async (request) => {
    const { takesBody, multipart, unversioned } = request.routeOptions.config;
    if (request.body === undefined && takesBody === true) request.body = {};
    // A route that takes a file says so itself.
    if (takesBody === false && multipart === undefined && unversioned === false) refuseContent(request.body);
  });
  // Query and path arrive percent-decoded, so only an encoded NUL can contain the character.
  app.addHook('preValidation', async (request) => {
    if (request.url.includes('%00')) {
      checkCharacters(request.params, 'path');
      checkCharacters(request.query, 'query');
    }
  });
}

/**
 * Lets the routes of a scope read their JSON bodies themselves, as a stream, in place of the parser. Their handlers limit the
 * size.
 */
export function installStreams(scope: FastifyInstance): void {
  scope.removeContentTypeParser('application/json');
  scope.addContentTypeParser('application/json', (_request, _payload, done) => done(null));
}

/** Parses a JSON body. Throws 400 for invalid JSON, and for what the database cannot store. */
export function parseBody(payload: Buffer): unknown {
  const text = decode(payload);
  // Neither fits into fewer bytes.
  const excess = payload.length > maxJsonDepth ? excessOf(payload, bodyLimits) : undefined;
  if (excess !== undefined) throw refused({ in: 'body', path: '', message: excess });
  const value = valueOf(text);
  // Both characters must be escaped in valid JSON, and `__proto__` is rare: check the text before walking the value.
  if (/\\u(?:0000|[dD][89a-fA-F])|__proto__|\\u005[fF]/.test(text)) checkCharacters(value, 'body');
  return value;
}

function decode(payload: Buffer): string {
  try {
    return utf8.decode(payload);
  } catch {
    throw notJson('the bytes are not UTF-8');
  }
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message would repeat a part of the body, which may contain a secret.
    const { position, reason } = faultOf(text);
    throw notJson(`${reason} at ${placeIn(text, position)}`);
  }
}

function notJson(why: string): FieldError {
  const message = `is not valid JSON: ${why}`;
  return new FieldError([{ in: 'body', path: '', keyword: 'json', message }], { code: 'invalid_json' });
}

/** Throws 400 for a body with anything in it, as the schema of an empty one does. */
function refuseContent(body: unknown): void {
  if (body === undefined) return;
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new FieldError([
      { in: 'body', path: '', keyword: 'type', params: { type: 'object' }, message: 'must be an object' },
    ]);
  const [key] = Object.keys(body);
  if (key === undefined) return;
  const message = 'is not a known key; the operation takes no body';
  throw new FieldError([{ in: 'body', path: pointerStep(key), keyword: 'additionalProperties', message }]);
}

function checkCharacters(value: unknown, where: 'body' | 'path' | 'query'): void {
  const found = unkeepable(value);
  if (found !== undefined) throw refused({ in: where, ...found, input: valueAt(value, stepsOf(found.path)) });
}

function refused(issue: FieldIssue): FieldError {
  return new FieldError([{ ...issue, keyword: 'characters' }]);
}
