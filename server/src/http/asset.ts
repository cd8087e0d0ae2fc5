import { Worker } from 'node:worker_threads';
import type { FastifyInstance } from 'fastify';
import { assetPaths } from './asset-paths.ts';

/** What stays the same as long as the process runs. */
export interface PreparedAsset {
  headers: Record<string, string>;
  /** Its media type. */
  type: string;
  /** Its ETag. */
  tag: string;
  bytes: Uint8Array;
  /** The same with gzip. */
  compressed: Uint8Array;
}

/**
 * Serves the OpenAPI document and its reference page to everybody, without a place in the document; the page asks no other
 * host. Each is made when it is first asked for, and once: some are large, and most processes never serve them. Who has it is
 * told so by its ETag; who takes gzip gets less to load.
 */
export function installAssets(app: FastifyInstance): void {
  for (const path of assetPaths) serveAsset(app, path);
}

function serveAsset(app: FastifyInstance, path: string): void {
  let making: Promise<PreparedAsset> | undefined;
  app.get(path, { schema: { hide: true } }, async (request, reply) => {
    making ??= prepare(path).catch((error: unknown) => {
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

function prepare(path: string): Promise<PreparedAsset> {
  const { promise, resolve, reject } = Promise.withResolvers<PreparedAsset>();
  const thread = new Worker(new URL('asset-thread.ts', import.meta.url), { workerData: path, execArgv: [] });
  thread.once('message', resolve);
  thread.once('error', reject);
  thread.once('exit', () => reject(new Error(`${path} could not be made.`)));
  return promise;
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
