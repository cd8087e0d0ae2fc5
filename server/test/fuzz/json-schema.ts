import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';

/** A JSON Schema, as far as the document uses it. */
export type Schema = Readonly<Record<string, unknown>>;

/** The relation of a value to its schema. */
export type Manner = 'valid' | 'boundary' | 'invalid';

/** Resolves a `$ref`; `hints` are values for fields that accept only certain words, by field name. */
export interface Resolve {
  (schema: Schema): Schema;
  readonly hints?: Readonly<Record<string, readonly unknown[]>>;
}

/** Generates values that fit the schema, lie at its limits, or violate it in one place. */
export function valuesOf(schema: Schema, manner: Manner, resolve: Resolve): Arbitrary<unknown> {
  const known = resolve(schema);
  if (manner === 'invalid') return fc.oneof(broken(known), within(known, manner, resolve));
  return within(known, manner, resolve);
}

/** Generates an invalid value: of another type, beyond a limit, or with invalid text. */
function broken(schema: Schema): Arbitrary<unknown> {
  return fc.oneof(
    fc.constantFrom<unknown>(null, true, 7, -1, 1e308, 0.5, '', [], {}, [null], { unknown: 1 }, 'x'.repeat(2_000)),
    fc.constantFrom<unknown>('\u0000', 'a\u0000b', '\ud800', '\udc00x', ' ', '../..', '%00', "'; drop table users; --"),
    fc.constant(past(schema)),
  );
}

/** Returns a value just beyond the schema's limit. */
function past(schema: Schema): unknown {
  const { maxLength, minLength, maximum, minimum, maxItems } = schema;
  if (typeof maxLength === 'number' && maxLength < 200_000) return 'x'.repeat(maxLength + 1);
  if (typeof minLength === 'number' && minLength > 0) return 'x'.repeat(minLength - 1);
  if (typeof maximum === 'number') return maximum + 1;
  if (typeof minimum === 'number') return minimum - 1;
  if (typeof maxItems === 'number' && maxItems < 1_000)
    return Array.from({ length: maxItems + 1 }, (_, at) => `x${at}`);
  return { a: { b: { c: [] } } };
}

function within(schema: Schema, manner: Manner, resolve: Resolve): Arbitrary<unknown> {
  if (Array.isArray(schema['enum'])) return fc.constantFrom<unknown>(...schema['enum']);
  if ('const' in schema) return fc.constant(schema['const']);
  const choices = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(choices))
    return fc.oneof(...choices.map((choice: unknown) => valuesOf(Object(choice), manner, resolve)));
  const types = [schema['type']].flat();
  return fc.oneof(...types.map((type) => ofType(type, schema, manner, resolve)));
}

function ofType(type: unknown, schema: Schema, manner: Manner, resolve: Resolve): Arbitrary<unknown> {
  switch (type) {
    case 'string':
      return texts(schema, manner);
    case 'integer':
      return integers(schema, manner);
    case 'number':
      return numbers(schema, manner);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return arrays(schema, manner, resolve);
    case 'object':
      return objects(schema, manner, resolve);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

const formats: Readonly<Record<string, Arbitrary<string>>> = {
  'date-time': fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
    .map((date) => date.toISOString()),
  date: fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
    .map((date) => date.toISOString().slice(0, 10)),
  email: fc.emailAddress(),
  uri: fc.webUrl(),
};

function texts(schema: Schema, manner: Manner): Arbitrary<string> {
  const { pattern, format } = schema;
  const known = typeof format === 'string' ? formats[format] : undefined;
  if (known !== undefined) return known;
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern, 'u'), { size: 'small' });
  const minLength = numberOr(schema['minLength'], 0);
  const maxLength = Math.max(minLength, numberOr(schema['maxLength'], 1_000));
  if (manner === 'boundary') return fc.constantFrom(...[minLength, maxLength].map((length) => 'é'.repeat(length)));
  const most = Math.max(minLength, Math.min(maxLength, 40));
  return fc.oneof(
    words.map((text) => text.slice(0, most).padEnd(minLength, 'x')),
    fc.array(characters, { minLength, maxLength: most }).map((parts) => parts.join('')),
  );
}

const words = fc.stringMatching(/^[a-z][a-z0-9/_.-]{0,30}$/);
/** Characters that often cause bugs; each counts as one in a schema. */
const characters = fc.constantFrom(...Array.from('aZ09 -_./\\"\'<>&%$,;:@#\n\té\u0301\u200d\u202eßİ日本😀𝒳\u{e000}'));

function integers(schema: Schema, manner: Manner): Arbitrary<number> {
  const min = numberOr(schema['minimum'], -1_000);
  const max = numberOr(schema['maximum'], 1_000_000_000);
  return manner === 'boundary'
    ? fc.constantFrom(min, max)
    : fc.oneof(fc.integer({ min, max }), fc.integer({ min, max: Math.min(max, min + 5) }));
}

function numbers(schema: Schema, manner: Manner): Arbitrary<number> {
  const low = numberOr(schema['minimum'], numberOr(schema['exclusiveMinimum'], -1_000) + 0.001);
  const high = numberOr(schema['maximum'], 1_000_000);
  if (manner === 'boundary') return fc.constantFrom(low, high);
  return fc.double({ min: low, max: high, noNaN: true });
}

function arrays(schema: Schema, manner: Manner, resolve: Resolve): Arbitrary<unknown[]> {
  const items = valuesOf(Object(schema['items'] ?? {}), manner, resolve);
  const minLength = numberOr(schema['minItems'], 0);
  const maxLength = Math.max(minLength, Math.min(3, numberOr(schema['maxItems'], 3)));
  if (schema['uniqueItems'] === true)
    return fc.uniqueArray(items, { minLength, maxLength, selector: (item) => JSON.stringify(item) });
  return fc.array(items, { minLength, maxLength });
}

function objects(schema: Schema, manner: Manner, resolve: Resolve): Arbitrary<Record<string, unknown>> {
  const properties = Object.entries(Object(schema['properties'] ?? {}));
  const required = new Set([schema['required'] ?? []].flat());
  if (properties.length === 0) return maps(schema, manner, resolve);
  const fields = Object.fromEntries(
    properties.map(([name, inner]): [string, Arbitrary<unknown>] => {
      const values = valuesOf(Object(inner), manner, resolve);
      const known = resolve.hints?.[name];
      if (known === undefined || manner !== 'valid') return [name, values];
      return [name, fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: values })];
    }),
  );
  const requiredKeys =
    manner === 'invalid' ? [] : properties.map(([name]) => name).filter((name) => required.has(name));
  return fc.record(fields, { requiredKeys });
}

function maps(schema: Schema, manner: Manner, resolve: Resolve): Arbitrary<Record<string, unknown>> {
  const { additionalProperties } = schema;
  const values =
    typeof additionalProperties === 'object' && additionalProperties !== null
      ? valuesOf(Object(additionalProperties), manner, resolve)
      : fc.jsonValue({ maxDepth: 2 });
  return fc.dictionary(fc.stringMatching(/^[a-z][a-z_-]{0,20}$/), values, { maxKeys: 3 });
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}
