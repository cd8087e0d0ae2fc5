import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isNestedDeeper, maxJsonDepth, unkeepable } from '../lib/json-limits.ts';
import { InvalidRequest } from './errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The JSON body as it came, for the comparison of idempotent requests; empty without one. */
    rawBody: string;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Takes JSON and nothing else: UTF-8, no prototype keys, no U+0000, no lone surrogate. */
export function installBody(app: FastifyInstance): void {
  app.decorateRequest('rawBody', '');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, payload: Buffer) => {
      if (payload.length === 0) return undefined;
      const value = parse(payload);
      request.rawBody = payload.toString('utf8');
      return value;
    },
  );
  app.addHook('preValidation', async (request) => {
    if (request.body === undefined && request.routeOptions.config.takesBody === true) request.body = {};
  });
  // Query and path arrive percent-decoded; only an encoded NUL can bring the character in.
  app.addHook('preValidation', async (request) => {
    if (request.url.includes('%00')) {
      checkCharacters(request.params, 'path');
      checkCharacters(request.query, 'query');
    }
  });
}

function parse(payload: Buffer): unknown {
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(payload);
    value = JSON.parse(text);
  } catch (error) {
    const message = `is not valid JSON: ${error instanceof SyntaxError ? whereOf(error) : 'the bytes are not UTF-8'}`;
    throw new InvalidRequest([{ where: 'body', path: '', keyword: 'json', params: {}, message }], 'invalid_json');
  }
  if (text.length > maxJsonDepth && isNestedDeeper(value, maxJsonDepth))
    throw problem('body', '', `is nested deeper than ${maxJsonDepth} levels`);
  // Both characters can only stand escaped in valid JSON, and `__proto__` rarely stands at all: look before walking.
  if (/\\u(?:0000|[dD][89a-fA-F])|__proto__|\\u005[fF]/.test(text)) checkCharacters(value, 'body');
  return value;
}

/** Where the parser stopped, without its words: they would repeat some of the body, which may hold a secret. */
function whereOf(error: SyntaxError): string {
  const at = /at position \d+(?: \(line \d+ column \d+\))?/.exec(error.message)?.[0];
  return at === undefined ? 'something is not as it has to be' : `it stops making sense ${at}`;
}

function checkCharacters(value: unknown, where: string): void {
  const found = unkeepable(value);
  if (found !== undefined) throw problem(where, found.path, found.message);
}

function problem(where: string, path: string, message: string): InvalidRequest {
  return new InvalidRequest([{ where, path, keyword: 'characters', params: {}, message }]);
}
