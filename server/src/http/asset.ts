import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';

/** What stays the same as long as the process runs. */
export interface Asset {
  /** Its media type. */
  type: string;
  content: string;
  /** Beside those that every answer has. */
  headers?: Record<string, string>;
}

const compress = promisify(gzip);

/**
 * Serves an asset to everybody, without a place in the document. It is made when it is first asked for, and once: some are
 * large, and most processes never serve them. Who has it is told so by its ETag; who takes gzip gets less to load.
 */
export function serveAsset(app: FastifyInstance, path: string, make: () => Promise<Asset>): void {
  let making: ReturnType<typeof prepare> | undefined;
  app.get(path, { schema: { hide: true } }, async (request, reply) => {
    making ??= prepare(make).catch((error: unknown) => {
      making = undefined;
      throw error;
    });
    const { headers, type, tag, bytes, compressed } = await making;
    reply.headers({ ...headers, etag: tag, 'cache-control': 'no-cache', vary: 'accept-encoding' });
    if (names(request.headers['if-none-match'], tag)) return reply.code(304).send();
    reply.type(type);
    if (!takesGzip(request.headers['accept-encoding'])) return reply.send(bytes);
    return reply.header('content-encoding', 'gzip').send(compressed);
  });
}

async function prepare(make: () => Promise<Asset>) {
  const { type, content, headers = {} } = await make();
  const bytes = Buffer.from(content);
  const compressed = await compress(bytes);
  // Weak, as it stands for both encodings.
  const tag = `W/"${createHash('sha256').update(bytes).digest('base64url')}"`;
  return { headers, type, tag, bytes, compressed };
}

/** Whether `If-None-Match` names the tag; strong or weak makes no difference to it (RFC 9110, 13.1.2). */
function names(header: string | undefined, tag: string): boolean {
  const tags = (header ?? '').split(',').map((one) => one.trim());
  return tags.some((one) => one === '*' || one.replace(/^W\//, '') === tag.replace(/^W\//, ''));
}

/** RFC 9110, 12.5.3: what is named with the weight 0 is refused. */
function takesGzip(header = ''): boolean {
  const weights = header.split(',').map((part) => /^\s*([^\s;]+)\s*(?:;\s*q=([\d.]+)\s*)?$/i.exec(part) ?? []);
  const of = (name: string) => weights.find(([, coding]) => coding?.toLowerCase() === name);
  const weight = of('gzip') ?? of('*');
  return weight !== undefined && Number(weight[2] ?? 1) > 0;
}
