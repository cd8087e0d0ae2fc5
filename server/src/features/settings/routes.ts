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
      description:
        'Also those that nobody changed, in a fixed order. Each is the whole value in effect, its defaults included.',
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
      description: 'The whole value in effect, its defaults included. 400 `unknown_namespace`.',
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
        'What the body leaves out has its default. A namespace that does not exist is refused with 400 `unknown_namespace`, a value that does not fit, or is above what the operator allows, with 400 `invalid_request`, which names the place; so is one that names an agent, a secret or a provider that is not there. A session keeps what it began its turn with.',
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
        'Harmless where nothing was put. Sessions keep what they began their turn with. 400 `unknown_namespace`.',
      scope: 'org:write',
      params: namespaceParameter,
      status: 204,
      answer: Type.Null(),
      handle: ({ caller, params }) => resetSettings(ctx, caller, params.namespace),
    }),
    route({
      method: 'GET',
      path: '/settings/:namespace/schema',
      id: 'getSettingsSchema',
      summary: "Get a namespace's JSON Schema",
      description:
        'The same for every organization: with defaults, limits (also those that the operator sets) and what each key means. 400 `unknown_namespace`.',
      scope: 'org:read',
      params: namespaceParameter,
      status: 200,
      answer: SettingsSchema,
      handle: ({ params }) => getSettingsSchema(ctx, params.namespace),
    }),
  ];
}
