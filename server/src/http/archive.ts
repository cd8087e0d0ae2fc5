import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';
import { fileOf, installMultipart } from './multipart.ts';

/** Lets those routes of a scope that say so take an archive: `application/zip`, or a form with one file. */
export async function installArchives(scope: FastifyInstance): Promise<void> {
  await installMultipart(scope);
  scope.addContentTypeParser(
    'application/zip',
    { parseAs: 'buffer' },
    async (_: FastifyRequest, bytes: Buffer) => bytes,
  );
  // The parsers are there for every route of the scope; those that take JSON alone say so before they read any of it.
  scope.addHook('preParsing', async (request) => {
    const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
    if (request.routeOptions.config.multipart === undefined && archiveTypes.has(type))
      throw new AppError('unsupported_media_type', 'Send the body as application/json.');
  });
}

const archiveTypes = new Set(['application/zip', 'multipart/form-data']);

/** The archive that a request brought; undefined for one with a JSON body. Throws 400, 413 `payload_too_large`. */
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
