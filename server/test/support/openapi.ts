import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';

/** A failure is a reference to the response that all operations share. */
export function responseOf(document: Record<string, unknown>, response: unknown): object {
  const name: unknown = Object(response).$ref;
  if (typeof name !== 'string') return Object(response);
  return Object(Object(Object(document['components']).responses)[name.split('/').at(-1) ?? '']);
}

/** Of each component, a validator that also refuses keys which the document does not name; it answers what is wrong. */
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

/** The fields that a schema of the document names itself, those of its items and variants too, by path: `repositories.ref`. */
export function fieldsOf(schema: unknown): [path: string, field: object][] {
  if (Array.isArray(schema)) return schema.flatMap((one) => fieldsOf(one));
  const { properties, items, additionalProperties, oneOf, anyOf, allOf } = Object(schema);
  const own = Object.entries(Object(properties)).flatMap(([name, field]): [string, object][] => [
    [name, Object(field)],
    ...fieldsOf(field).map(([path, inner]): [string, object] => [`${name}.${path}`, inner]),
  ]);
  return [...own, ...[items, additionalProperties, oneOf, anyOf, allOf].flatMap((inner) => fieldsOf(inner ?? []))];
}

/** The components that are JSON bodies of requests, by name; without those of PATCH, which leaves what it does not name as it is. */
export function bodies(document: Record<string, unknown>): Map<string, unknown> {
  const found = Object.values(Object(document['paths'])).flatMap((methods) =>
    Object.entries(Object(methods)).flatMap(([method, operation]) => {
      const { $ref } = Object(Object(operation).requestBody?.content['application/json']?.schema);
      return method === 'patch' || $ref === undefined ? [] : [$ref];
    }),
  );
  return new Map(found.map((ref: string) => [ref, resolve(document, { $ref: ref })]));
}

/** What is said of the fields that may be left out and have no `default`, by path: of the field itself and of what it is a part of. */
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

/** Headers of HTTP itself and those that keep a browser from harm: the document does not name them. */
const unnamed =
  /^(?:date|connection|keep-alive|transfer-encoding|vary|cache-control|content-(?:type|length|encoding|security-policy)|x-content-type-options|x-frame-options|referrer-policy)$/;

/** The headers that the document names for an answer. */
export function headersOf(document: Record<string, unknown>, operation: object, status: number): string[] {
  const response = Object(Object(operation).responses)[status];
  return Object.keys(Object(Object(responseOf(document, response)).headers));
}

/** Those that came without being named. */
export function undeclared(
  document: Record<string, unknown>,
  operation: object,
  status: number,
  headers: Headers,
): string[] {
  const named = new Set(headersOf(document, operation, status));
  return [...headers.keys()].filter((name) => !unnamed.test(name) && !named.has(name));
}
