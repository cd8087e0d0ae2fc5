import { Worker } from 'node:worker_threads';
import type { FastifyInstance } from 'fastify';
import { assetPaths } from './asset-paths.ts';
import { codingOf } from './compression.ts';

/** An asset that stays the same while the process runs. */
export interface PreparedAsset {
  headers: Record<string, string>;
  /** Its media type. */
  type: string;
  /** Its ETag. */
  tag: string;
  bytes: Uint8Array;
  /** The same content with gzip. */
  compressed: Uint8Array;
}

/**
 * Serves the OpenAPI document and its reference page without authentication; the page contacts no other host. Builds each on
 * its first request, once: some are large, and most processes never serve them. Supports ETags and gzip.
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
    if (codingOf(request.headers['accept-encoding'], ['gzip']) === undefined) return reply.send(bytes);
    return reply.header('content-encoding', 'gzip').send(compressed);
  });
}

function prepare(path: string): Promise<PreparedAsset> {
  const { promise, resolve, reject } = Promise.withResolvers<PreparedAsset>();
  const thread = new Worker(new URL('asset-thread.ts', import.meta.url), { workerData: path, execArgv: [] });
  thread.once('message', resolve);
  thread.once('error', reject);
  thread.once('exit', () => reject(new Error(`${path} could not be built.`)));
  return promise;
}

/** Returns true if `If-None-Match` names the tag; weak and strong tags compare equal (RFC 9110, 13.1.2). */
function names(header: string | undefined, tag: string): boolean {
  const tags = (header ?? '').split(',').map((one) => one.trim());
  return tags.some((one) => one === '*' || one.replace(/^W\//, '') === tag.replace(/^W\//, ''));
}
