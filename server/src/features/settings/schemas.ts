import { Type } from 'typebox';
import { AnyObject, componentOf, List, named, Text } from '../../http/schema.ts';
import { namespaces } from './namespaces/index.ts';

const names = Object.keys(namespaces).join(', ');

export const SettingsNamespace = named(
  'SettingsNamespace',
  Type.Object({
    namespace: Type.String({ description: `One of ${names}.` }),
    value: Type.Unsafe<object>({
      ...AnyObject,
      description: 'The whole value in effect; its schema is at `…/schema`.',
    }),
    enforced: Type.Boolean({
      description:
        'Whether the platform acts on the value. false: it is kept and checked, and nothing follows from it yet.',
    }),
  }),
);
export const SettingsNamespaceList = List(SettingsNamespace);

export const SettingsSchema = componentOf(
  'SettingsSchema',
  Type.Unsafe<object>({
    ...AnyObject,
    description:
      'JSON Schema (2020-12) of what may be put; its keyword `enforced` says whether the platform acts on it.',
  }),
);

/** Any text: one that names no namespace is 400 `unknown_namespace`. */
export const namespaceParameter = { namespace: Text(1_000, { description: `One of ${names}.` }) };
export const SettingsValue = Type.Unsafe<Record<string, unknown>>({
  ...AnyObject,
  // None of its keys, but a body there must be: leaving it out is no way to set everything back.
  required: [],
  description: "The namespace's value: the schema is at `…/schema`. What is left out has its default.",
});
