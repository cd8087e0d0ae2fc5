import { count } from '../../lib/format.ts';
import { record, type SchemaField, type Shape } from './shape.ts';

/** Returns a description of the API as a reader of a form needs it: no values of JSON. */
export function described(description: string, kind: Shape['kind']): string {
  const plain = description
    .replaceAll("; ''", '; empty')
    .replaceAll("''", 'Empty')
    .replaceAll('; []', '; none')
    .replaceAll('[]', 'An empty list')
    .replaceAll('; null is', '; empty is');
  return kind === 'switch' ? plain.replaceAll('true: ', 'On: ').replaceAll('false: ', 'Off: ') : plain;
}

/** Returns what is said below a field: nothing if its title and unit say it all. */
export function noteOf({ title, description, shape }: Pick<SchemaField, 'title' | 'description' | 'shape'>): string {
  const unit = shape.kind === 'number' ? shape.unit : '';
  if ([`${title}.`, `${title}, in ${unit}.`].includes(description)) return '';
  return described(description, shape.kind);
}

/** Returns the limits of a number and its default: `0.1 to 256, default 2`. */
export function boundsOf(shape: Shape, byDefault: unknown): string {
  if (shape.kind !== 'number') return '';
  const { minimum, maximum } = shape;
  const range =
    minimum !== undefined && maximum !== undefined
      ? `${number(minimum)} to ${number(maximum)}`
      : minimum !== undefined
        ? `${number(minimum)} or more`
        : maximum !== undefined
          ? `at most ${number(maximum)}`
          : '';
  const usual = typeof byDefault === 'number' ? `default ${number(byDefault)}` : '';
  return [range, usual].filter((part) => part !== '').join(', ');
}

/** Returns a value as text, in one line. */
export function shown(field: Pick<SchemaField, 'shape'>, value: unknown): string {
  const { shape } = field;
  if (value === undefined || value === null || value === '') return shape.kind === 'number' ? 'none' : 'not set';
  switch (shape.kind) {
    case 'switch':
      return value === true ? 'on' : 'off';
    case 'number':
      return typeof value === 'number' ? `${number(value)} ${shape.unit}`.trim() : JSON.stringify(value);
    case 'choice':
    case 'text':
      return typeof value === 'string' ? value : JSON.stringify(value);
    case 'texts':
      return Array.isArray(value) && value.length > 0 ? value.map(String).join(', ') : 'none';
    case 'object':
      return shape.fields.map((inner) => `${inner.title}: ${shown(inner, record(value)[inner.key])}`).join('; ');
    case 'rows':
      return Array.isArray(value) && value.length > 0
        ? value.map((row: unknown) => rowText(shape.fields, row)).join('; ')
        : 'none';
    case 'map': {
      const entries = Object.entries(record(value));
      return entries.length === 0
        ? 'none'
        : entries.map(([key, inner]) => `${key} (${rowText(shape.fields, inner)})`).join('; ');
    }
    case 'json':
      return JSON.stringify(value);
  }
}

function rowText(fields: readonly SchemaField[], row: unknown): string {
  const values = record(row);
  return fields
    .filter(({ key }) => Object.hasOwn(values, key) && values[key] !== '')
    .map((field) => (field.shape.kind === 'number' ? `${field.title} ` : '') + shown(field, values[field.key]))
    .join(', ');
}

function number(value: number): string {
  return Number.isInteger(value) ? count(value) : String(value);
}
