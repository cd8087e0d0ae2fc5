import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type { TSchema } from 'typebox';
import { Ajv, type FuncKeywordDefinition, type Options, type ValidateFunction } from 'ajv';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import ajvFormats from 'ajv-formats';
import type { FastifyInstance } from 'fastify';
import { oneLine } from '../lib/one-line.ts';
import { components } from './schema.ts';

/**
 * Installs request validation and response serialization. Bodies are never coerced and keep every field; query and path values
 * are coerced, as they are strings. Compiles each schema on first use: all together take seconds.
 */
export function installCompilers(app: FastifyInstance): void {
  const rules: Options = { allErrors: true, verbose: true, strict: false, removeAdditional: false, useDefaults: true };
  const strict = ajvFormats.default(new Ajv({ ...rules, coerceTypes: false }));
  const coercing = ajvFormats.default(new Ajv({ ...rules, coerceTypes: true }));
  for (const ajv of [strict, coercing]) ajv.addKeyword(asOneLine);
  for (const [id, schema] of components) for (const ajv of [strict, coercing]) ajv.addSchema({ ...schema, $id: id });
  app.setSerializerCompiler(sharedSerializers());
  app.setValidatorCompiler(({ schema, httpPart }) => {
    const ajv = httpPart === 'body' ? strict : coercing;
    let validator: ValidateFunction | undefined;
    return (data: unknown) => {
      validator ??= ajv.compile(schema);
      return validator(data) || { error: validator.errors ?? [] };
    };
  });
}

/** Implements `x-line`, which makes a string one visible line before any other rule applies. */
const asOneLine: FuncKeywordDefinition = {
  keyword: 'x-line',
  type: 'string',
  before: 'maxLength',
  modifying: true,
  errors: false,
  validate: (_on: unknown, text: string, _schema: unknown, place: DataValidationCxt | undefined) => {
    if (place !== undefined) Reflect.set(place.parentData, place.parentDataProperty, oneLine(text));
    return true;
  },
};

/**
 * Shares one serializer among equal schemas: every route returns the same errors, and a compiled serializer is large. Passes
 * only the referenced components, because each one is checked again.
 */
function sharedSerializers() {
  const compiler = SerializerSelector();
  const known = new Map<string, ReturnType<ReturnType<typeof compiler>>>();
  return ({
    httpStatus = '',
    ...definition
  }: {
    schema?: unknown;
    method: string;
    url: string;
    httpStatus?: string;
  }) => {
    const text = JSON.stringify(definition.schema);
    return (data: unknown) => {
      let serialize = known.get(text);
      if (serialize === undefined) {
        const compile = compiler(Object.fromEntries(componentsOf(text)), {});
        known.set(text, (serialize = compile({ ...definition, httpStatus })));
      }
      return serialize(data);
    };
  };
}

/** Returns the components that a schema refers to, directly or indirectly. */
function componentsOf(text: string, found = new Map<string, TSchema>()): Map<string, TSchema> {
  for (const [, id = ''] of text.matchAll(/"\$ref":"([^"#]+)#?"/g)) {
    const schema = found.has(id) ? undefined : components.get(id);
    if (schema !== undefined) componentsOf(JSON.stringify(schema), found.set(id, schema));
  }
  return found;
}
