import { describe, expect, test } from 'vitest';
import { fieldsOf } from './shape.ts';
import { boundsOf, described, noteOf, shown } from './words.ts';

function only(schema: object) {
  const [field] = fieldsOf({ properties: { the_field: schema } });
  if (field === undefined) throw new Error('no field');
  return field;
}

describe('the way to enter a value', () => {
  test.each([
    [{ type: 'boolean' }, 'switch'],
    [{ type: ['boolean', 'null'] }, 'json'],
    [{ type: 'integer' }, 'number'],
    [{ type: ['number', 'null'] }, 'number'],
    [{ type: 'string' }, 'text'],
    [{ type: 'string', enum: ['a'] }, 'choice'],
    [{ type: 'array', items: { type: 'string' } }, 'texts'],
    [{ type: 'array', items: { type: 'object', properties: {} } }, 'rows'],
    [{ type: 'array', items: { type: 'array' } }, 'json'],
    [{ type: 'object', properties: {} }, 'object'],
    [{ type: 'object', additionalProperties: { type: 'object', properties: {} } }, 'map'],
    [{ type: 'object', additionalProperties: true }, 'json'],
    [{ type: ['string', 'integer'] }, 'json'],
    [{ anyOf: [{ type: 'string' }, { type: 'object' }] }, 'json'],
    [{}, 'json'],
  ])('%o', (schema, kind) => expect(only(schema).shape.kind).toBe(kind));

  test('comes with its texts, limits, and what it names', () => {
    const schema = { type: 'string', enum: ['none', 'open'], 'x-texts': { none: 'Nothing.' }, 'x-group': 'Network' };
    expect(only(schema)).toMatchObject({
      title: 'The field',
      group: 'Network',
      shape: {
        known: [
          { value: 'none', text: 'Nothing.' },
          { value: 'open', text: '' },
        ],
      },
    });
    const list = {
      type: 'array',
      items: { type: 'string', maxLength: 9 },
      'x-picker': 'model',
      'x-texts': { a: 'A.' },
    };
    expect(only(list).shape).toEqual({
      kind: 'texts',
      known: [{ value: 'a', text: 'A.' }],
      maxLength: 9,
      picker: 'model',
    });
  });

  test('of an omitted field is another one, or the defaults inside', () => {
    const [, cached] = fieldsOf({
      required: ['input'],
      properties: { input: { type: 'number', title: 'Input' }, cached: { type: 'number', 'x-default-from': 'input' } },
    });
    expect(cached).toMatchObject({ from: 'Input', isRequired: false });
    const nested = { type: 'object', default: {}, properties: { a: { type: 'string', default: 'x' } } };
    expect(only(nested).byDefault).toEqual({ a: 'x' });
  });

  test('is found in anything', () => {
    for (const schema of [undefined, null, 1, [], { properties: 1 }, { properties: { a: null } }])
      expect(fieldsOf(schema).every(({ shape }) => shape.kind === 'json')).toBe(true);
  });
});

test('limits read as words', () => {
  const bounds = (schema: object) => boundsOf(only(schema).shape, only(schema).byDefault);
  expect(bounds({ type: 'number', minimum: 0.1, maximum: 256, default: 2 })).toBe('0.1 to 256, default 2');
  expect(bounds({ type: 'integer', minimum: 0 })).toBe('0 or more');
  expect(bounds({ type: 'string' })).toBe('');
});

test('descriptions have no values of JSON', () => {
  expect(described('true: it is kept. false: it is not.', 'switch')).toBe('On: it is kept. Off: it is not.');
  expect(described("A key; '' is off.", 'text')).toBe('A key; empty is off.');
  expect(described('The models. [] allows every model.', 'texts')).toBe(
    'The models. An empty list allows every model.',
  );
  expect(described('A cost. In US dollars; null is unlimited.', 'number')).toBe(
    'A cost. In US dollars; empty is unlimited.',
  );
});

test('a field says nothing twice', () => {
  const memory = { type: 'integer', title: 'Memory', 'x-unit': 'MiB', description: 'Memory, in MiB.' };
  expect([noteOf(only(memory)), noteOf(only({ ...memory, description: 'Memory of a sandbox.' }))]).toEqual([
    '',
    'Memory of a sandbox.',
  ]);
});

test('values read as text', () => {
  const price = { type: 'object', properties: { input: { type: 'number' }, output: { type: 'number' } } };
  expect(shown(only({ type: 'integer', 'x-unit': 'MiB' }), 4_096)).toBe('4\u2009096 MiB');
  expect(shown(only({ type: ['number', 'null'] }), null)).toBe('none');
  expect(shown(only({ type: 'array', items: { type: 'string' } }), [])).toBe('none');
  expect(shown(only({ type: 'object', additionalProperties: price }), { m: { input: 1, output: 2 } })).toBe(
    'm (Input 1, Output 2)',
  );
  expect(shown(only({ type: 'boolean' }), true)).toBe('on');
});
