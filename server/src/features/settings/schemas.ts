import { Type } from 'typebox';
import { AnyObject, componentOf, List, Text, record } from '../../http/schema.ts';
import { namespaces } from './namespaces/index.ts';

const names = Object.keys(namespaces).join(', ');

export const SettingsNamespace = record(
  'SettingsNamespace',
  Type.Object({
    namespace: Type.String({ description: `One of ${names}.` }),
    value: Type.Unsafe<object>({
      ...AnyObject,
      description: 'The full effective value; its schema is at `…/schema`.',
    }),
    enforced: Type.Boolean({
      description:
        'True if the platform acts on the value; false if it is validated and stored, but has no effect yet.',
    }),
  }),
);
export const SettingsNamespaceList = List(SettingsNamespace);

export const SettingsSchema = componentOf(
  'SettingsSchema',
  Type.Unsafe<object>({
    ...AnyObject,
    description: 'JSON Schema (2020-12) of the value; its keyword `enforced` says if the platform acts on it.',
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
