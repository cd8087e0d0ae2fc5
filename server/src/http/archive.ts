import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';
import { fileOf, installMultipart } from './multipart.ts';

/** Lets the declared routes of a scope accept an archive: `application/zip`, or a form with one file. */
export async function installArchives(scope: FastifyInstance): Promise<void> {
  await installMultipart(scope);
  scope.addContentTypeParser(
    'application/zip',
    { parseAs: 'buffer' },
    async (_: FastifyRequest, bytes: Buffer) => bytes,
  );
  // The parsers are registered for all routes of the scope, so JSON-only routes refuse other types before they read any of the
  // body.
  scope.addHook('preParsing', async (request) => {
    const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
    if (request.routeOptions.config.multipart === undefined && archiveTypes.has(type))
      throw new AppError('unsupported_media_type', 'Send the body as application/json.');
  });
}

const archiveTypes = new Set(['application/zip', 'multipart/form-data']);

/** Returns the archive of a request; undefined for a JSON body. Throws 400, 413 `payload_too_large`. */
export async function archiveOf(request: FastifyRequest): Promise<Buffer | undefined> {
  const { body } = request;
  if (Buffer.isBuffer(body)) return body;
  if (!request.isMultipart()) return undefined;
  const { content, end } = await fileOf(request);
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(Buffer.from(chunk));
  await end();
  return Buffer.concat(chunks);
}
