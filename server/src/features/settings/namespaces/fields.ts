import { Type, type TProperties, type TSchema } from 'typebox';
import { NullableNumber, Text } from '../../../http/schema.ts';

/** The keyword of a key whose default is the value of another key of the same object; its value names that key. */
export const defaultFrom = 'x-default-from';

/** Hints for a form, beside a field's title and description. */
interface Hints {
  /** A heading above the fields that follow one another with it. */
  group?: string;
  /** The unit of a number. */
  unit?: string;
  /** The kind of thing that a text names, or each text of a list. */
  picker?: 'model' | 'agent' | 'secret' | 'host';
  /** An explanation of each known value. */
  texts?: Readonly<Record<string, string>>;
}

/** Adds what a form shows to a new schema: the title of the field, and hints. */
export function titled<T extends TSchema>(title: string, schema: T, { group, unit, picker, texts }: Hints = {}): T {
  // A copy would lose what typebox hides in a schema.
  return Object.assign(schema, {
    title,
    ...(group === undefined ? {} : { 'x-group': group }),
    ...(unit === undefined ? {} : { 'x-unit': unit }),
    ...(picker === undefined ? {} : { 'x-picker': picker }),
    ...(texts === undefined ? {} : { 'x-texts': texts }),
  });
}

/** An object that may be omitted: every key has a default. */
export function Value<T extends TProperties>(properties: T) {
  return Type.Object(properties, { additionalProperties: false, default: {} });
}

/** An object in a list. */
export function Item<T extends TProperties>(properties: T) {
  return Type.Object(properties, { additionalProperties: false });
}

/** A list of distinct, non-empty strings; `[]` by default. */
export function Texts(maxItems: number, maxLength: number, description: string) {
  return Type.Array(Text(maxLength, { minLength: 1 }), { maxItems, uniqueItems: true, default: [], description });
}

export function Flag(byDefault: boolean, description: string) {
  return Type.Boolean({ default: byDefault, description });
}

export function Whole(minimum: number, maximum: number, byDefault: number, description: string) {
  return Type.Integer({ minimum, maximum, default: byDefault, description });
}

/** A string; `''` by default. */
export function Word(maxLength: number, description: string, more: { pattern?: string; default?: string } = {}) {
  return Type.String({ maxLength, default: '', description, ...more });
}

/** The key of an organization secret, or `''`. */
export function SecretKey(description: string) {
  return Word(256, description, { pattern: '^([A-Za-z_][A-Za-z0-9_]*)?$' });
}

/** An amount of US dollars; null by default, which sets no limit. */
export function Dollars(description: string) {
  return Type.Unsafe<number | null>({
    ...NullableNumber,
    minimum: 0,
    maximum: 1_000_000_000,
    default: null,
    description: `${description} In US dollars; null is unlimited.`,
  });
}
