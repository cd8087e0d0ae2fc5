/** What a text names, so that a form can offer it. */
export type Picker = 'model' | 'agent' | 'secret' | 'host';

/** A known value with its explanation. */
export interface Known {
  value: string;
  text: string;
}

/** How a value is entered. */
export type Shape =
  | { kind: 'switch' }
  | { kind: 'number'; whole: boolean; minimum?: number; maximum?: number; unit: string; canBeNull: boolean }
  | { kind: 'choice'; known: Known[] }
  | { kind: 'text'; maxLength?: number; picker: Picker | undefined; canBeNull: boolean }
  | { kind: 'texts'; known: Known[]; maxLength?: number; picker: Picker | undefined }
  | { kind: 'object'; fields: SchemaField[] }
  | { kind: 'rows'; fields: SchemaField[] }
  | { kind: 'map'; keyTitle: string; keyPicker: Picker | undefined; fields: SchemaField[] }
  /** Anything else: written as JSON. */
  | { kind: 'json' };

/** A property of an object. */
export interface SchemaField {
  key: string;
  title: string;
  description: string;
  /** A heading above the fields that follow one another with it. */
  group: string;
  isRequired: boolean;
  /** The value of an omitted field; undefined for none. */
  byDefault: unknown;
  /** The title of the field of the same object whose value an omitted field takes; `''` for none. */
  from: string;
  shape: Shape;
}

type Schema = Record<string, unknown>;

/** Returns the fields of an object's JSON Schema, in their order. */
export function fieldsOf(schema: unknown): SchemaField[] {
  const { properties, required } = record(schema);
  const all = Object.entries(record(properties));
  const needed = new Set(list(required));
  return all.map(([key, property]) => {
    const inner = record(property);
    const shape = shapeOf(inner);
    const from = all.find(([name]) => name === inner['x-default-from'])?.[1];
    return {
      key,
      title: titleOf(inner, key),
      description: text(inner['description']),
      group: text(inner['x-group']),
      isRequired: needed.has(key),
      byDefault: defaultOf(inner, shape),
      from: from === undefined ? '' : titleOf(record(from), text(inner['x-default-from'])),
      shape,
    };
  });
}

function titleOf(schema: Schema, key: string): string {
  if (text(schema['title']) !== '') return text(schema['title']);
  const words = key.replaceAll('_', ' ');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** An object's default has those of its fields. */
function defaultOf(schema: Schema, shape: Shape): unknown {
  if (shape.kind !== 'object') return schema['default'];
  const inner = shape.fields.filter(({ byDefault }) => byDefault !== undefined);
  return { ...Object.fromEntries(inner.map(({ key, byDefault }) => [key, byDefault])), ...record(schema['default']) };
}

function shapeOf(schema: Schema): Shape {
  const types = [schema['type']].flat().map(String);
  const canBeNull = types.includes('null');
  const [type = '', ...others] = types.filter((one) => one !== 'null');
  if (others.length > 0 || 'anyOf' in schema || 'oneOf' in schema) return { kind: 'json' };
  switch (type) {
    case 'boolean':
      return canBeNull ? { kind: 'json' } : { kind: 'switch' };
    case 'integer':
    case 'number':
      return {
        kind: 'number',
        whole: type === 'integer',
        ...given('minimum', schema['minimum']),
        ...given('maximum', schema['maximum']),
        unit: text(schema['x-unit']),
        canBeNull,
      };
    case 'string':
      return textShape(schema, canBeNull);
    case 'array':
      return arrayShape(schema);
    case 'object':
      return objectShape(schema);
    default:
      return { kind: 'json' };
  }
}

function textShape(schema: Schema, canBeNull: boolean): Shape {
  const values = list(schema['enum']).map(String);
  if (values.length > 0 && !canBeNull) return { kind: 'choice', known: known(schema, values) };
  const picker = pickerOf(schema);
  return { kind: 'text', ...given('maxLength', schema['maxLength']), picker, canBeNull };
}

function arrayShape(schema: Schema): Shape {
  const items = record(schema['items']);
  if (items['type'] === 'object' && 'properties' in items) return { kind: 'rows', fields: fieldsOf(items) };
  if (items['type'] !== 'string') return { kind: 'json' };
  const values = list(items['enum']).map(String);
  const texts = values.length > 0 ? values : Object.keys(record(schema['x-texts']));
  return {
    kind: 'texts',
    known: known(schema, texts),
    ...given('maxLength', items['maxLength']),
    picker: pickerOf(schema) ?? pickerOf(items),
  };
}

function objectShape(schema: Schema): Shape {
  if ('properties' in schema) return { kind: 'object', fields: fieldsOf(schema) };
  const values = record(schema['additionalProperties']);
  if (!('properties' in values)) return { kind: 'json' };
  const names = record(schema['propertyNames']);
  const keyTitle = text(names['title']) || 'Name';
  return { kind: 'map', keyTitle, keyPicker: pickerOf(names), fields: fieldsOf(values) };
}

function known(schema: Schema, values: readonly string[]): Known[] {
  const texts = record(schema['x-texts']);
  return values.map((value) => ({ value, text: text(texts[value]) }));
}

function pickerOf(schema: Schema): Picker | undefined {
  const pickers: Record<string, Picker> = { model: 'model', agent: 'agent', secret: 'secret', host: 'host' };
  return pickers[text(schema['x-picker'])];
}

function given<Key extends string>(key: Key, value: unknown): Partial<Record<Key, number>> {
  const entry: Partial<Record<Key, number>> = {};
  if (typeof value === 'number') entry[key] = value;
  return entry;
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns an object's entries; `{}` for anything else. */
export function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
