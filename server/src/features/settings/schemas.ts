import { Type } from 'typebox';
import { AnyObject, componentOf, List, NullableTimestamp, Principal, Text, record } from '../../http/schema.ts';
import { namespaces } from './namespaces/index.ts';

const names = Object.keys(namespaces).join(', ');

export const SettingsNamespace = record(
  'SettingsNamespace',
  Type.Object({
    namespace: Type.String({ description: `One of ${names}.` }),
    title: Type.String({ description: 'Its name for readers.' }),
    value: Type.Unsafe<object>({
      ...AnyObject,
      description: 'The full effective value; its schema is at `…/schema`.',
    }),
    enforced: Type.Boolean({
      description:
        'True if the platform acts on the value; false if it is validated and stored, but has no effect yet.',
    }),
    set_keys: Type.Array(Type.String(), {
      description: 'The keys of the value that were put; the others have their defaults.',
    }),
    revision: Type.Integer({
      minimum: 0,
      description:
        'The number of changes, also those back to the defaults; 0 if there was none. The `ETag` is this number.',
    }),
    updated_at: Type.Unsafe<Date | null>({
      ...NullableTimestamp,
      description: 'Time of the last change; null if there was none.',
    }),
    updated_by: Type.Union([Principal, Type.Null()], {
      description: 'Who made the last change; null if there was none, or if it was not recorded.',
    }),
  }),
  '/revision',
);
export const SettingsNamespaceList = List(SettingsNamespace);

export const SettingsSchema = componentOf(
  'SettingsSchema',
  Type.Unsafe<object>({
    ...AnyObject,
    description:
      'JSON Schema (2020-12) of the value; its keyword `enforced` says if the platform acts on it. For forms, the ' +
      'namespace and each field have a `title`, and where they apply `x-group` (a heading above several fields), ' +
      '`x-unit` (of a number), `x-picker` (what a text names: `model`, `agent`, `secret` or `host`) and `x-texts` (an ' +
      'explanation of each known value).',
  }),
);

/** Any text: an unknown namespace is 400 `unknown_namespace`. */
export const namespaceParameter = { namespace: Text(1_000, { description: `One of ${names}.` }) };
export const SettingsValue = Type.Unsafe<Record<string, unknown>>({
  ...AnyObject,
  // No key is required, but a body is: an omitted body must not reset everything.
  required: [],
  description: "The namespace's value; its schema is at `…/schema`. Omitted keys get their defaults.",
});
