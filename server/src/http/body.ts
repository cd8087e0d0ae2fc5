import type { FastifyInstance, FastifyRequest } from 'fastify';
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

/** Deeper than anything the API takes, and far from what would exhaust the stack of those who walk it. */
const maxDepth = 100;

function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= maxDepth; depth += 1) {
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
    if (level.length === 0) return false;
  }
  return true;
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
  if (text.length > maxDepth && isTooDeep(value)) throw problem('body', '', `is nested deeper than ${maxDepth} levels`);
  // Both characters can only stand escaped in valid JSON, and `__proto__` rarely stands at all: look before walking.
  if (/\\u(?:0000|[dD][89a-fA-F])|__proto__|\\u005[fF]/.test(text)) checkCharacters(value, 'body');
  return value;
}

/** Where the parser stopped, without its words: they would repeat some of the body, which may hold a secret. */
function whereOf(error: SyntaxError): string {
  const at = /at position \d+(?: \(line \d+ column \d+\))?/.exec(error.message)?.[0];
  return at === undefined ? 'something is not as it has to be' : `it stops making sense ${at}`;
}

function checkCharacters(value: unknown, where: string, path = ''): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed())
      throw problem(where, path, 'holds U+0000 or a lone surrogate, which no text may');
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (key === '__proto__') throw problem(where, `${path}/${key}`, 'is not a key that can be used');
      checkCharacters(key, where, path);
      checkCharacters(item, where, `${path}/${key}`);
    }
  }
}

function problem(where: string, path: string, message: string): InvalidRequest {
  return new InvalidRequest([{ where, path, keyword: 'characters', params: {}, message }]);
}
