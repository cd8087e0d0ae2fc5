import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';

/** Resolves the reference of an error to the shared response. */
export function responseOf(document: Record<string, unknown>, response: unknown): object {
  const name: unknown = Object(response).$ref;
  if (typeof name !== 'string') return Object(response);
  return Object(Object(Object(document['components']).responses)[name.split('/').at(-1) ?? '']);
}

/** Returns a validator for each component that also rejects keys outside of the document; it returns the problem. */
export function closedValidators(document: object): (ref: string) => (value: unknown) => string {
  const closed: unknown = JSON.parse(JSON.stringify(document), (_key, value: unknown) => {
    const object = typeof value === 'object' && value !== null && 'properties' in value && 'type' in value;
    return object && !('additionalProperties' in value) ? { ...value, additionalProperties: false } : value;
  });
  const ajv = ajvFormats.default(new Ajv2020({ strict: false, allErrors: true }));
  ajv.addSchema(Object(closed), 'document');
  return (ref) => {
    const check = ajv.getSchema(`document${ref}`);
    if (check === undefined) throw new Error(`${ref} is not in the document`);
    return (value) => (check(value) === true ? '' : ajv.errorsText(check.errors));
  };
}

/**
 * Returns the fields in a schema of the document, including those of its items and variants, by path:
 * `repositories.ref`.
 */
export function fieldsOf(schema: unknown): [path: string, field: object][] {
  if (Array.isArray(schema)) return schema.flatMap((one) => fieldsOf(one));
  const { properties, items, additionalProperties, oneOf, anyOf, allOf } = Object(schema);
  const own = Object.entries(Object(properties)).flatMap(([name, field]): [string, object][] => [
    [name, Object(field)],
    ...fieldsOf(field).map(([path, inner]): [string, object] => [`${name}.${path}`, inner]),
  ]);
  return [...own, ...[items, additionalProperties, oneOf, anyOf, allOf].flatMap((inner) => fieldsOf(inner ?? []))];
}

/**
 * Returns the components that are JSON bodies of requests, by name; without those of PATCH, where omitted fields stay
 * unchanged.
 */
export function bodies(document: Record<string, unknown>): Map<string, unknown> {
  const found = Object.values(Object(document['paths'])).flatMap((methods) =>
    Object.entries(Object(methods)).flatMap(([method, operation]) => {
      const { $ref } = Object(Object(operation).requestBody?.content['application/json']?.schema);
      return method === 'patch' || $ref === undefined ? [] : [$ref];
    }),
  );
  return new Map(found.map((ref: string) => [ref, resolve(document, { $ref: ref })]));
}

/** Returns the descriptions of optional fields without a `default`, by path: those of the field and of its parents. */
export function optionalFieldsOf(
  document: Record<string, unknown>,
  schema: unknown,
  about = '',
): [path: string, said: string][] {
  const { properties, required = [], items } = Object(resolve(document, schema));
  const own = Object.entries(Object(properties)).flatMap(([name, field]): [string, string][] => {
    const said = `${about} ${Object(field).description ?? Object(resolve(document, field)).description}`;
    const inner = optionalFieldsOf(document, field, Object(field).description);
    const nested = inner.map(([path, text]): [string, string] => [`${name}.${path}`, text]);
    return required.includes(name) || 'default' in Object(field) ? nested : [[name, said], ...nested];
  });
  return items === undefined ? own : [...own, ...optionalFieldsOf(document, items)];
}

function resolve(document: Record<string, unknown>, schema: unknown): unknown {
  const { $ref } = Object(schema);
  return typeof $ref === 'string'
    ? Object(Object(document['components']).schemas)[$ref.split('/').at(-1) ?? '']
    : schema;
}

/** Standard headers of HTTP and for browser security, which the document omits. */
const unnamed =
  /^(?:date|connection|keep-alive|transfer-encoding|vary|cache-control|content-(?:type|length|encoding|security-policy)|x-content-type-options|x-frame-options|referrer-policy)$/;

/** Returns the documented headers of a response. */
export function headersOf(document: Record<string, unknown>, operation: object, status: number): string[] {
  const response = Object(Object(operation).responses)[status];
  return Object.keys(Object(Object(responseOf(document, response)).headers));
}

/** Returns the undocumented headers of a response. */
export function undeclared(
  document: Record<string, unknown>,
  operation: object,
  status: number,
  headers: Headers,
): string[] {
  const named = new Set(headersOf(document, operation, status));
  return [...headers.keys()].filter((name) => !unnamed.test(name) && !named.has(name));
}
