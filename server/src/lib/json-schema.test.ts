import { expect, test } from 'vitest';
import { problemsOfSchema, problemsOfValue } from './json-schema.ts';

const deep = (levels: number): object => JSON.parse(`${'{"items":'.repeat(levels)}{}${'}'.repeat(levels)}`);

test.each<[string, object, string, string]>([
  ['a type that is none', { type: 'nonsense' }, '/type', 'must be one of ["array"'],
  ['a type that is none, inside', { properties: { a: { type: 'text' } } }, '/properties/a/type', 'must be one of'],
  ['a reference to nothing', { items: { $ref: '#/$defs/none' } }, '/items/$ref', 'which is not in this schema'],
  ['a reference to elsewhere', { $ref: 'https://example.com/x.json' }, '/$ref', 'are not fetched'],
  ['a reference to a file', { $ref: 'file:///etc/passwd' }, '/$ref', 'are not fetched'],
  ['an older draft', { $schema: 'http://json-schema.org/draft-07/schema#' }, '/$schema', 'other drafts'],
  [
    'a pattern that is none',
    { properties: { a: { pattern: '(' } } },
    '/properties/a/pattern',
    'is not a valid regular expression',
  ],
  [
    'a pattern of keys that is none',
    { patternProperties: { '[': {} } },
    '/patternProperties/[',
    'is not a valid regular',
  ],
  ['an asynchronous schema', { $async: true }, '/$async', 'not a supported keyword'],
  ['a circle', { $ref: '#' }, '', 'refers to itself endlessly'],
  [
    'a circle of two',
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
    '',
    'endlessly',
  ],
  ['65 levels', deep(65), '', 'nested deeper than 64 levels'],
  ['more than 64 KiB', { enum: ['x'.repeat(65_536)] }, '', 'larger than 64 KiB'],
  [
    'a key that JavaScript understands otherwise',
    JSON.parse('{"properties":{"__proto__":{}}}'),
    '/properties/__proto__',
    'not a supported key',
  ],
  ['a NUL', { const: 'a\0' }, '/const', 'U+0000'],
])('a schema is refused: %s', async (_name, schema, path, message) => {
  expect(await problemsOfSchema(schema)).toEqual([{ path, message: expect.stringContaining(message) }]);
});

test.each<[string, object]>([
  ['nothing', {}],
  ['its draft', { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' }],
  [
    'keywords of OpenAPI 3.1',
    { type: 'string', example: 'x', externalDocs: { url: 'https://example.com' }, format: 'int32' },
  ],
  ['a tree', { type: 'object', properties: { children: { type: 'array', items: { $ref: '#' } } } }],
  ['a long list', { enum: Array.from({ length: 8_000 }, (_, at) => at) }],
  ['60 levels', deep(60)],
  ['a slow pattern, which only some values show', { type: 'string', pattern: '^(a+)+$' }],
])('a schema is taken: %s', async (_name, schema) => {
  expect(await problemsOfSchema(schema)).toEqual([]);
});

test('a value is judged, and each place that is wrong is named', async () => {
  const schema = {
    type: 'object',
    properties: { 'a/b': { type: 'integer' }, size: { enum: ['s', 'm'] }, when: { type: 'string', format: 'date' } },
    required: ['size', 'constructor'],
    additionalProperties: false,
  };
  expect(await problemsOfValue(schema, { 'a/b': 1.5, when: '2026-02-30', more: 1 })).toEqual([
    { path: '/size', message: 'is required' },
    { path: '/constructor', message: 'is required' },
    { path: '/more', message: 'is not a known key' },
    { path: '/a~1b', message: 'must be integer' },
    { path: '/when', message: 'must match format "date"' },
  ]);
  expect(await problemsOfValue({ enum: ['s'] }, 's')).toEqual([]);
  expect(await problemsOfValue({}, JSON.parse('{"__proto__": 1}'))).toMatchObject([{ path: '/__proto__' }]);
  expect(await problemsOfValue({}, JSON.parse('[1e400]'))).toMatchObject([{ path: '/0' }]);
  expect(await problemsOfValue({}, 'x'.repeat(262_144))).toMatchObject([{ message: 'is larger than 256 KiB' }]);
});

/** Creates a schema in which each level refers to the next one twice. */
function doubling(levels: number): object {
  const $defs = Object.fromEntries(
    Array.from({ length: levels }, (_, at) => {
      const next = at + 1 < levels ? { $ref: `#/$defs/d${at + 1}` } : { type: 'string' };
      return [`d${at}`, { allOf: [next, next] }];
    }),
  );
  return { $defs, $ref: '#/$defs/d0' };
}

const tooSlow = [{ path: '', message: expect.stringMatching(/^takes longer than 2 s to check/) }];

test.each<[string, object, unknown]>([
  ['a pattern of keys', { patternProperties: { '^(a|a)+$': {} } }, { [`${'a'.repeat(60)}!`]: 1 }],
  ['alternatives that double', doubling(40), 'x'],
])('what is too slow ends, and says so: %s', async (_name, schema, value) => {
  expect(await problemsOfValue(schema, value)).toEqual(tooSlow);
});

test('what takes memory without bound ends, and says so', async () => {
  const [problem] = await problemsOfValue(doubling(40), 1);
  expect(problem?.message).toMatch(/^takes (longer than 2 s|more than 128 MiB of memory) to check/);
});

test('a pattern that is too slow ends too, and holds up nobody but who waits for it: the event loop goes on', async () => {
  let ticks = 0;
  const ticking = setInterval(() => (ticks += 1), 20);
  expect(await problemsOfValue({ pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`)).toEqual(tooSlow);
  clearInterval(ticking);
  expect(ticks).toBeGreaterThan(20);
});
