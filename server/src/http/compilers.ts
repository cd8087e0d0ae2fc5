import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type { TSchema } from 'typebox';
import { Ajv, type AnySchema, type FuncKeywordDefinition, type Options, type ValidateFunction } from 'ajv';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import ajvFormats from 'ajv-formats';
import type { FastifyInstance } from 'fastify';
import { oneLine } from '../lib/one-line.ts';
import { components } from './schema.ts';

const longestName = 2_000;

/** Implements `x-line`, which makes a string one visible line in composed form before any other rule applies. */
const asOneLine: FuncKeywordDefinition = {
  keyword: 'x-line',
  type: 'string',
  before: 'maxLength',
  modifying: true,
  errors: false,
  validate: (_on: unknown, text: string, _schema: unknown, place: DataValidationCxt | undefined) => {
    if (place === undefined) return true;
    const line = oneLine(text);
    // A longer one is refused, and takes too long to compose.
    const name = line.length > longestName ? line : line.normalize('NFC');
    Reflect.set(place.parentData, place.parentDataProperty, name);
    return true;
  },
};

const rules: Options = {
  allErrors: true,
  verbose: true,
  strict: false,
  removeAdditional: false,
  useDefaults: true,
  // A test checks the whole OpenAPI document instead.
  validateSchema: false,
};
const strict = createAjv({ ...rules, coerceTypes: false });
const coercing = createAjv({ ...rules, coerceTypes: true });
const validators = new Map<string, ValidateFunction>();
const serializers = createSerializers();

/**
 * Installs request validation and response serialization. Bodies are never coerced and keep every field; query and path values
 * are coerced, as they are strings. Compiles each schema on first use, once for a process: all together take seconds.
 */
export function installCompilers(app: FastifyInstance): void {
  for (const ajv of [strict, coercing]) {
    const missing = [...components].filter(([id]) => ajv.schemas[id] === undefined);
    for (const [id, schema] of missing) ajv.addSchema({ ...schema, $id: id });
  }
  app.setSerializerCompiler(serializers);
  app.setValidatorCompiler(({ schema, httpPart }) => {
    const ajv = httpPart === 'body' ? strict : coercing;
    let validator: ValidateFunction | undefined;
    return (data: unknown) => {
      validator ??= validatorOf(ajv, schema);
      return validator(data) || { error: validator.errors ?? [] };
    };
  });
}

function validatorOf(ajv: Ajv, schema: AnySchema): ValidateFunction {
  const key = `${ajv === strict ? 'body' : 'url'} ${JSON.stringify(schema)}`;
  let validator = validators.get(key);
  if (validator === undefined) validators.set(key, (validator = ajv.compile(schema)));
  return validator;
}

function createAjv(options: Options): Ajv {
  return ajvFormats.default(new Ajv(options)).addKeyword(asOneLine);
}

/**
 * Shares one serializer among equal schemas: every route returns the same errors, and a compiled serializer is large. Passes
 * only the referenced components, because each one is checked again.
 */
function createSerializers() {
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
