import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { codedTag } from './etags.ts';
import { isRead } from './head.ts';

/** Smaller bodies fit into one packet as they are. */
const leastBytes = 1_400;
const mostBytes = 16 * 1_048_576;

/** Content codings, the preferred one first; the level of each costs a large response little: 900 kB of numbers 7 and 13 ms. */
const codings = {
  br: (body: string) =>
    promisify(brotliCompress)(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 2, [constants.BROTLI_PARAM_LGWIN]: 19 },
    }),
  gzip: (body: string) => promisify(gzip)(body, { level: 2 }),
};
const offered = ['br', 'gzip'] as const;

/**
 * Compresses the JSON of reads, outside of the main thread. Only responses to other methods have credentials: those are never
 * compressed, because the length of a compressed response that repeats the request reveals what else is in it. Nor is what
 * another site has a browser request. Install it before {@link installEmptyHead}.
 */
export function installCompression(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (!isRead(request) || request.routeOptions.config.statuses === undefined) return payload;
    const isJson = String(reply.getHeader('content-type')).startsWith('application/json');
    if (!isJson && reply.statusCode !== 304) return payload;
    reply.header('vary', [reply.getHeader('vary') ?? [], 'accept-encoding'].flat().join(', '));
    if (reply.statusCode !== 200 || typeof payload !== 'string' || !isWorthIt(payload)) return payload;
    const { 'accept-encoding': accepted, 'sec-fetch-site': site } = request.headers;
    const coding = codingOf(accepted, offered);
    if (coding === undefined || site === 'cross-site') return payload;
    const etag = reply.getHeader('etag');
    if (typeof etag === 'string') reply.header('etag', codedTag(etag, coding));
    reply.header('content-encoding', coding);
    return codings[coding](payload);
  });
}

function isWorthIt(body: string): boolean {
  const bytes = Buffer.byteLength(body);
  return bytes >= leastBytes && bytes <= mostBytes;
}

/** Returns the coding that a client accepts with the highest weight, of equal ones the first (RFC 9110, 12.5.3). */
export function codingOf<T extends string>(header = '', choices: readonly T[] = []): T | undefined {
  const parts = header.split(',').map((part) => /^\s*([^\s;]+)\s*(?:;\s*q=([\d.]+)\s*)?$/i.exec(part) ?? []);
  const weights = new Map(parts.map(([, coding = '', weight = '1']) => [coding.toLowerCase(), Number(weight)]));
  const weightOf = (coding: string): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const [best] = choices.filter((coding) => weightOf(coding) > 0).toSorted((a, b) => weightOf(b) - weightOf(a));
  return best;
}
