import type { Readable } from 'node:stream';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';
import { InvalidRequest } from './errors.ts';

/** Lets the routes of a scope take `multipart/form-data`. */
export async function installMultipart(scope: FastifyInstance): Promise<void> {
  await scope.register(multipart, { throwFileSizeLimit: false, limits: { fields: 0, files: 1, parts: 1 } });
}

/** A file on its way in. Its content must be read to the end or destroyed. */
export interface IncomingFile {
  /** As the client calls it. */
  name: string;
  content: Readable;
  /** Whether there was more than the route takes; known when the content has ended. */
  isTooLarge: () => boolean;
}

/** The one file of a form, in its field `file`. Throws 415 when the body is no form, 400 when the form has no such file. */
export async function fileOf(request: FastifyRequest): Promise<IncomingFile> {
  if (!request.isMultipart())
    throw new AppError('unsupported_media_type', 'Send the file as multipart/form-data, in the field `file`.');
  const { multipart: limits } = request.routeOptions.config;
  let file;
  try {
    file = await request.file({ limits: { fileSize: limits?.maxBytes ?? 0, fields: 0, files: 1, parts: 1 } });
  } catch (error) {
    throw wrongForm(error instanceof Error ? error.message : String(error));
  }
  if (file === undefined) throw wrongForm('it has no file');
  if (file.fieldname !== 'file') {
    file.file.resume();
    throw wrongForm(`the file is in the field ${JSON.stringify(file.fieldname.slice(0, 100))}`);
  }
  // A part may come without a file name, whatever its type says.
  const claimed: { filename?: string | undefined } = file;
  const content = file.file;
  return { name: claimed.filename ?? '', content, isTooLarge: () => content.truncated };
}

/** All files of a form, in fields `file`, each whole. Throws 415, 400, and 413 where they are more than the route takes. */
export async function filesOf(request: FastifyRequest): Promise<{ name: string; content: Buffer }[]> {
  if (!request.isMultipart())
    throw new AppError('unsupported_media_type', 'Send the files as multipart/form-data, in fields `file`.');
  const { maxBytes = 0, maxFiles = 1 } = request.routeOptions.config.multipart ?? {};
  const limits = { fileSize: maxBytes, fields: 0, files: maxFiles, parts: maxFiles };
  const files: { name: string; content: Buffer }[] = [];
  let size = 0;
  try {
    for await (const part of request.files({ limits })) {
      const claimed: { filename?: string | undefined; fieldname: string } = part;
      const chunks: Buffer[] = [];
      for await (const chunk of part.file) {
        const bytes = Buffer.from(chunk);
        size += bytes.length;
        // What is too much is read to its end, so that the answer arrives, and not kept.
        if (size <= maxBytes) chunks.push(bytes);
      }
      if (part.file.truncated) size = maxBytes + 1;
      if (claimed.fieldname !== 'file')
        throw new Error(`a file is in the field ${JSON.stringify(claimed.fieldname.slice(0, 100))}`);
      files.push({ name: claimed.filename ?? '', content: Buffer.concat(chunks) });
    }
  } catch (error) {
    throw wrongForm(error instanceof Error ? error.message : String(error));
  }
  if (size > maxBytes) throw new AppError('payload_too_large', `The files have at most ${maxBytes} bytes together.`);
  if (files.length === 0) throw wrongForm('it has no file');
  return files;
}

function wrongForm(why: string): InvalidRequest {
  const message = `must be a form with its file in the field "file": ${why}`;
  return new InvalidRequest([{ where: 'body', path: '', keyword: 'multipart', params: {}, message }]);
}
