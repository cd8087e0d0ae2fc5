import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { pointerStep } from '../../lib/json-pointer.ts';
import { isBlank } from '../../lib/one-line.ts';
import { schemaProblems, type SchemaProblem } from '../../lib/schema-problems.ts';
import { defaultFrom } from './namespaces/fields.ts';
import { definitionOf, type Namespace, type Setting } from './namespaces/index.ts';
import { FieldError } from '../../lib/field-error.ts';
import { isRecord } from '../../lib/record.ts';

type Schema = Record<string, unknown>;

/** The values of unchanged namespaces; frozen, because all readers share them. */
const defaults = new Map<Namespace, unknown>();

/** Returns the effective value for a stored one; undefined stands for none. */
export function inEffect<N extends Namespace>(namespace: N, put: unknown): Setting<N> {
  const value = put === undefined ? defaultOf(namespace) : withDefaults(definitionOf(namespace).value, put);
  if (!fits(namespace, value)) throw new Error(`The stored settings ${namespace} do not fit their schema.`);
  return value;
}

function defaultOf(namespace: Namespace): unknown {
  const known = defaults.get(namespace);
  if (known !== undefined) return known;
  const { value: schema } = definitionOf(namespace);
  const value = deepFrozen(withDefaults(schema, {}));
  if (Value.Check(schema, value)) defaults.set(namespace, value);
  return value;
}

function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) deepFrozen(inner);
  return Object.freeze(value);
}

/** Validates a new value. Throws 400 `invalid_request` that names the problem. */
export function checkPut<N extends Namespace>(namespace: N, put: Record<string, unknown>): Setting<N> {
  const definition = definitionOf(namespace);
  const value = withDefaults(definition.value, put);
  if (!fits(namespace, value)) throw invalid(schemaProblems(definition.value, value));
  const problems = [...paddedTexts(value, ''), ...(definition.problems?.(value) ?? [])];
  if (problems.length > 0) throw invalid(problems);
  return value;
}

/** Returns the texts of lists that nothing would ever equal. Not in the schema, because stored values may have them. */
function paddedTexts(value: unknown, path: string): SchemaProblem[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    const place = `${path}${pointerStep(key)}`;
    if (typeof inner !== 'string' || !Array.isArray(value)) return paddedTexts(inner, place);
    if (inner === inner.trim() && !isBlank(inner)) return [];
    return [{ path: place, message: isBlank(inner) ? 'must not be blank' : 'must not begin or end with white space' }];
  });
}

export function invalid(problems: readonly SchemaProblem[]): FieldError {
  return new FieldError(problems);
}

/** Returns the JSON Schema of a value; `enforced` says if the platform acts on it. */
export function putSchema(namespace: Namespace): object {
  const { value, title, enforced } = definitionOf(namespace);
  const schema: unknown = JSON.parse(JSON.stringify(value));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title,
    enforced,
    ...(isRecord(schema) ? relaxed(schema) : {}),
  };
}

function fits<N extends Namespace>(namespace: N, value: unknown): value is Setting<N> {
  return value === defaults.get(namespace) || Value.Check(definitionOf(namespace).value, value);
}

function withDefaults(schema: TSchema, put: unknown): unknown {
  return fillFrom(schema, Value.Default(schema, structuredClone(put ?? {})));
}

/** Fills missing keys whose default is the value of another key, and sorts keys in the order of the schema. */
function fillFrom(schema: unknown, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => fillFrom(Object(schema).items, item));
  if (!isRecord(schema) || !isRecord(value)) return value;
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const known = Object.entries(properties).flatMap(([key, property]) => {
    const from = isRecord(property) && !Object.hasOwn(value, key) ? property[defaultFrom] : key;
    return typeof from === 'string' && Object.hasOwn(value, from) ? [[key, fillFrom(property, value[from])]] : [];
  });
  const others = Object.entries(value).filter(([key]) => !Object.hasOwn(properties, key));
  const rest = others.map(([key, inner]) => [key, fillFrom(schema['additionalProperties'], inner)]);
  return Object.fromEntries([...known, ...rest]);
}

/** Returns the schema with all keys optional that have a default. */
function relaxed(schema: Schema): Schema {
  const inner = Object.entries(schema).map(([key, value]) => [key, relaxedInside(value)]);
  const properties = schema['properties'];
  if (!isRecord(properties) || !Array.isArray(schema['required'])) return Object.fromEntries(inner);
  const required = schema['required'].filter((key) => {
    const property = properties[String(key)];
    return !isRecord(property) || !('default' in property || defaultFrom in property);
  });
  return { ...Object.fromEntries(inner), required };
}

function relaxedInside(value: unknown): unknown {
  if (Array.isArray(value)) return value;
  return isRecord(value) ? relaxed(value) : value;
}
