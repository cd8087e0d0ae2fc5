import type { Readable } from 'node:stream';
import multipart, { type MultipartFile } from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, codeOf, messageOf } from '../lib/errors.ts';
import { FieldError } from '../lib/field-error.ts';

/** Lets the routes of a scope accept `multipart/form-data`. */
export async function installMultipart(scope: FastifyInstance): Promise<void> {
  await scope.register(multipart, { throwFileSizeLimit: false, limits: { fields: 0, files: 1, parts: 1 } });
}

/** A file that is being uploaded. Its content must be read to the end or destroyed. */
export interface IncomingFile {
  /** The client's name for it. */
  name: string;
  content: Readable;
  /** Call it after the content has ended: throws 413 when the file is too large, 400 when the form contains more. */
  end: () => Promise<void>;
}

/** Returns the file of a form, in its field `file`. Throws 415 when the body is not a form, 400 without such a file. */
export async function fileOf(request: FastifyRequest): Promise<IncomingFile> {
  if (!request.isMultipart())
    throw new AppError('unsupported_media_type', 'Send the file as multipart/form-data, in the field `file`.');
  const { maxBytes = 0 } = request.routeOptions.config.multipart ?? {};
  const parts = request.files({ limits: { fileSize: maxBytes, fields: 0, files: 1, parts: 1 } });
  const file = await nextOf(parts);
  if (file === undefined) throw wrongForm('the form has no file');
  if (file.fieldname !== 'file') {
    file.file.resume();
    throw wrongForm(`the file is in the field ${JSON.stringify(file.fieldname.slice(0, 100))}`);
  }
  // A part may lack a file name, whatever its type.
  const claimed: { filename?: string | undefined } = file;
  const content = file.file;
  const end = async (): Promise<void> => {
    if (content.truncated) throw new AppError('payload_too_large', `The file exceeds the limit of ${maxBytes} bytes.`);
    await nextOf(parts);
  };
  return { name: claimed.filename ?? '', content, end };
}

async function nextOf(parts: AsyncIterableIterator<MultipartFile>): Promise<MultipartFile | undefined> {
  try {
    const { value, done } = await parts.next();
    return done === true ? undefined : value;
  } catch (error) {
    throw wrongForm(faultOf(error, 1));
  }
}

function faultOf(error: unknown, maxFiles: number): string {
  switch (codeOf(error)) {
    case 'FST_FILES_LIMIT':
    case 'FST_PARTS_LIMIT':
      return `the form has more than ${maxFiles === 1 ? 'one file' : `${maxFiles} files`}, or other fields`;
    case 'FST_FIELDS_LIMIT':
      return 'the form has a field with text in place of a file (with curl, send -F file=@<path>)';
    default:
      return messageOf(error);
  }
}

/** Reads all files of a form, in fields `file`. Throws 415, 400, and 413 beyond the route's limit. */
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
        // Excess data is read to the end but not kept, so that the client receives the response.
        if (size <= maxBytes) chunks.push(bytes);
      }
      if (part.file.truncated) size = maxBytes + 1;
      if (claimed.fieldname !== 'file')
        throw new Error(`a file is in the field ${JSON.stringify(claimed.fieldname.slice(0, 100))}`);
      files.push({ name: claimed.filename ?? '', content: Buffer.concat(chunks) });
    }
  } catch (error) {
    throw wrongForm(faultOf(error, maxFiles));
  }
  if (size > maxBytes)
    throw new AppError('payload_too_large', `The files together exceed the limit of ${maxBytes} bytes.`);
  if (files.length === 0) throw wrongForm('the form has no file');
  return files;
}

function wrongForm(why: string): FieldError {
  const message = `must be a form with its file in the field "file": ${why}`;
  return new FieldError([{ in: 'body', path: '', keyword: 'multipart', message }]);
}
