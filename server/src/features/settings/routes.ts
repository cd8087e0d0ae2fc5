import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { ListQuery } from '../../http/schema.ts';
import { namespaces } from './namespaces/index.ts';
import {
  namespaceParameter,
  SettingsNamespace,
  SettingsNamespaceList,
  SettingsSchema,
  SettingsValue,
} from './schemas.ts';
import { replaceSettings, resetSettings } from './replace-service.ts';
import { getSettings, getSettingsSchema, listSettings } from './service.ts';

export function settingsRoutes(ctx: Pick<Context, 'db' | 'clock' | 'config'>): Route[] {
  const examples = Object.fromEntries(Object.entries(namespaces).map(([name, { example }]) => [name, example]));
  return [
    route({
      method: 'GET',
      path: '/settings',
      id: 'listSettings',
      summary: 'List settings',
      description: 'Includes unchanged ones, in a fixed order. Each has its full effective value, including defaults.',
      scope: 'org:read',
      query: ListQuery({}),
      status: 200,
      answer: SettingsNamespaceList,
      handle: ({ caller, query }) => listSettings(ctx, caller, query),
    }),
    route({
      method: 'GET',
      path: '/settings/:namespace',
      id: 'getSettings',
      summary: "Get a namespace's settings",
      description: 'The full effective value, including defaults, and the last change. 400 `unknown_namespace`.',
      scope: 'org:read',
      params: namespaceParameter,
      status: 200,
      answer: SettingsNamespace,
      handle: ({ caller, params }) => getSettings(ctx, caller, params.namespace),
    }),
    route({
      method: 'PUT',
      path: '/settings/:namespace',
      id: 'replaceSettings',
      summary: "Replace a namespace's settings",
      description:
        'Omitted keys get their defaults. 400 `unknown_namespace` for an unknown namespace. 400 `invalid_request`, which names the place, for an invalid value, for one above the limits of the operator, and for one that names an agent, secret or provider that does not exist. A session keeps the settings from the start of its turn.',
      scope: 'org:write',
      params: namespaceParameter,
      body: SettingsValue,
      examples,
      status: 200,
      answer: SettingsNamespace,
      handle: ({ caller, params, body, request }) =>
        replaceSettings(ctx, caller, params.namespace, request.rawBody === '' ? undefined : body),
    }),
    route({
      method: 'DELETE',
      path: '/settings/:namespace',
      id: 'resetSettings',
      summary: "Reset a namespace's settings",
      description:
        'Harmless for a namespace with defaults. Sessions keep the settings from the start of their turn. 400 `unknown_namespace`.',
      scope: 'org:write',
      params: namespaceParameter,
      status: 204,
      answer: Type.Null(),
      record: SettingsNamespace,
      handle: ({ caller, params }) => resetSettings(ctx, caller, params.namespace),
    }),
    route({
      method: 'GET',
      path: '/settings/:namespace/schema',
      id: 'getSettingsSchema',
      summary: "Get a namespace's JSON Schema",
      description:
        'The same for every organization, with defaults, limits (including those of the operator) and descriptions. 400 `unknown_namespace`.',
      scope: 'org:read',
      params: namespaceParameter,
      status: 200,
      answer: SettingsSchema,
      handle: ({ params }) => getSettingsSchema(ctx, params.namespace),
    }),
  ];
}
