import type { FastifyInstance, FastifySchemaCompiler } from 'fastify';
import { Type } from 'typebox';
import { Bytes } from './schema.ts';

/** Returns the parser options of a route that accepts a file. */
export function withFile({ multipart, archive }: { multipart?: { maxBytes: number }; archive?: { maxBytes: number } }) {
  const file = multipart ?? archive;
  return file === undefined ? {} : { multipart: file };
}

const binary = Type.Unsafe<string>({ ...Bytes, description: 'The file.' });

/** Validates JSON as usual; the handler validates an archive. */
export function archiveOptions(app: FastifyInstance, schema: Record<string, unknown>) {
  const compile = app.validatorCompiler;
  return {
    schema: {
      ...schema,
      body: {
        content: {
          'application/json': { schema: schema['body'] },
          'application/zip': { schema: binary },
          'multipart/form-data': { schema: Type.Object({ file: binary }) },
        },
      },
    },
    validatorCompiler: (part: Parameters<FastifySchemaCompiler<unknown>>[0] & { contentType?: string }) =>
      (part.httpPart === 'body' && part.contentType !== 'application/json') || compile === undefined
        ? () => true
        : compile(part),
  };
}

/** Documents the form. Its file is streamed, so nothing is validated in advance. */
export function uploadOptions(
  app: FastifyInstance,
  schema: Record<string, unknown>,
  { maxFiles }: { maxFiles?: number },
) {
  const each = { minItems: 1, description: 'The files.' };
  const file = maxFiles === undefined ? binary : Type.Array(binary, { ...each, maxItems: maxFiles });
  const form = Type.Object({ file });
  const compile = app.validatorCompiler;
  return {
    schema: { ...schema, body: { content: { 'multipart/form-data': { schema: form } } } },
    validatorCompiler: (part: Parameters<FastifySchemaCompiler<unknown>>[0]) =>
      part.httpPart === 'body' || compile === undefined ? () => true : compile(part),
  };
}
