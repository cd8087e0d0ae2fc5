import { excessOf, maxJsonDepth, maxJsonValues } from '../../src/lib/json-limits.ts';

type Schema = Readonly<Record<string, unknown>>;

const megabyte = 1_048_576;

/** Returns a JSON object of this size with unknown keys only. */
export function plainBody(sizeBytes: number): string {
  return JSON.stringify({ x: 'word '.repeat(sizeBytes).slice(0, sizeBytes - 8) });
}

/**
 * Returns a body with the maximum number of values, all invalid in every list and mapping of the schema, and unknown
 * names.
 */
export function wrongBody(schema: Schema, resolve: (schema: Schema) => Schema, sizeBytes: number): string {
  const most = Math.min(9_900, Math.floor(sizeBytes / 24));
  const holders = holdersIn(schema, resolve);
  const share = Math.floor(most / (holders.length + 1));
  const body: Record<string, unknown> = {};
  for (const { path, isList } of holders) put(body, path, isList ? items(share) : names(share));
  return JSON.stringify({ ...names(share), ...body });
}

const items = (count: number): unknown[] => Array.from({ length: count }, (_, at) => (at % 2 === 0 ? at : `x${at}`));
const names = (count: number): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${at}`, at]));

/** Finds the places in a schema whose value may contain any number of others. */
function holdersIn(
  schema: Schema,
  resolve: (schema: Schema) => Schema,
  path: readonly string[] = [],
): { path: readonly string[]; isList: boolean }[] {
  const known = resolve(schema);
  if (path.length > 4) return [];
  const choices = known['anyOf'] ?? known['oneOf'] ?? known['allOf'];
  const here = Array.isArray(choices) ? choices.flatMap((one: unknown) => holdersIn(Object(one), resolve, path)) : [];
  if (known['type'] === 'array') return [...here, { path, isList: true }];
  const fields = Object.entries(Object(known['properties']));
  const isMapping = known['type'] === 'object' && fields.length === 0 && path.length > 0;
  return [
    ...here,
    ...(isMapping ? [{ path, isList: false }] : []),
    ...fields.flatMap(([name, field]) => holdersIn(Object(field), resolve, [...path, name])),
  ];
}

function put(body: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) body[name] = value;
  else {
    const inner = Object(body[name] ?? {});
    body[name] = inner;
    if (!Array.isArray(inner)) put(inner, rest, value);
  }
}

/** Bodies that reach the parser on every route. */
export const anyBodies: Readonly<Record<string, (sizeBytes: number) => string>> = {
  'objects without a field': (size) => `{"x":[${'{},'.repeat((size - 16) / 3)}0]}`,
  'lists in one another': (size) => `{"x":${'['.repeat(size / 2 - 8)}${']'.repeat(size / 2 - 8)}}`,
  'names that are all different': (size) =>
    `{${Array.from({ length: size / 12 }, (_, at) => `"${at.toString(36)}":0`)
      .join(',')
      .slice(0, size - 40)
      .replace(/,[^,]*$/, '')}}`,
  'numbers of many digits': (size) => `{"x":[${`${'9'.repeat(300)}.1,`.repeat((size - 16) / 303)}0]}`,
  'escapes of half a pair': (size) => `{"x":"${'\\ud800'.repeat(size / 6 - 3)}"}`,
  'no JSON at its very end': (size) => `{"x":"${'\\n'.repeat(size / 2 - 8)}",}`,
  'no JSON after many values': (size) => `{"x":[${'[1],'.repeat(size / 4 - 8)}}`,
  'no UTF-8 at its end': (size) => `{"x":"${'€'.repeat(size / 3 - 8)}`,
};

export const jsonSizes = { usual: megabyte, stranger: 16_384 } as const;

/**
 * Returns the largest value of a schema, as far as it has limits: maximal lists, mappings and texts, all different.
 * Shortens everything evenly if the body would be too large.
 */
export function largestBody(schema: Schema, resolve: (schema: Schema) => Schema, sizeBytes: number): string {
  for (const measure of measures) {
    const body = JSON.stringify(largest(schema, { ...measure, resolve }, 0));
    if (Buffer.byteLength(body) <= sizeBytes && excessOf(Buffer.from(body), limits) === undefined) return body;
  }
  return '{}';
}

const limits = { values: maxJsonValues, depth: maxJsonDepth };
const measures = [1_000_000, 50_000, 5_000, 1_000, 200, 50].flatMap((letters) =>
  [9_000, 500, 100, 20, 5, 2].map((most) => ({ letters, most })),
);

interface Measure {
  resolve: (schema: Schema) => Schema;
  /** The maximum number of items in a list. */
  most: number;
  letters: number;
}

/** Returns the largest value; `at` makes it differ from earlier ones. */
function largest(schema: Schema, measure: Measure, at: number, depth = 0): unknown {
  const known = measure.resolve(schema);
  const [choice] = [known['anyOf'] ?? known['oneOf']].flat();
  if (choice !== undefined) return largest(Object(choice), measure, at, depth);
  if ('const' in known) return known['const'];
  if (Array.isArray(known['enum'])) return known['enum'][at % known['enum'].length];
  const count = (limit: unknown): number => Math.min(Number(limit ?? Infinity), measure.most) >> (depth > 2 ? 2 : 0);
  switch (known['type']) {
    case 'string':
      return textOf(known, measure.letters, at);
    case 'integer':
    case 'number':
      return known['maximum'] ?? 1_000_000;
    case 'boolean':
      return false;
    case 'array':
      return Array.from({ length: count(known['maxItems']) }, (_, item) =>
        largest(Object(known['items']), measure, item, depth + 1),
      );
    case 'object': {
      const fields = Object.entries(Object(known['properties']));
      if (fields.length > 0)
        return Object.fromEntries(
          fields.map(([name, field]) => [name, largest(Object(field), measure, at, depth + 1)]),
        );
      const inner = known['additionalProperties'];
      const value = (item: number): unknown =>
        typeof inner === 'object' ? largest(Object(inner), measure, item, depth + 1) : `${item}`;
      return Object.fromEntries(
        Array.from({ length: count(known['maxProperties']) }, (_, item) => [`a${item.toString(36)}`, value(item)]),
      );
    }
    default:
      return null;
  }
}

/** Returns letters, or for a pattern the first of a few texts that matches. */
function textOf(known: Schema, letters: number, at: number): string {
  const length = Math.min(Number(known['maxLength'] ?? letters), letters);
  const fits = [' a', 'a/', 'a', 'A', '1', '.a'].map(
    (text) => `${text.repeat(length).slice(0, Math.max(1, length - 6))}${at}`,
  );
  const { pattern } = known;
  if (typeof pattern !== 'string') return fits[0] ?? '';
  const expression = new RegExp(pattern, 'u');
  return fits.find((text) => expression.test(text)) ?? '';
}
