import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id, List, ListQuery } from '../../http/schema.ts';
import { RevokeQuery } from '../keys/schemas.ts';
import { App, AppKey, CreateApp, CreateAppKey, IssuedAppKey, RevokedAppKey } from './schemas.ts';
import { createApp, createAppKey, deleteApp, deleteAppKey, listAppKeys, listApps } from './service.ts';
import * as keyExamples from '../keys/examples.ts';
import * as examples from './examples.ts';

/** Unversioned. */
export function appRoutes(ctx: Pick<Context, 'db' | 'clock'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/apps',
      id: 'listApps',
      summary: 'List apps',
      description: 'Newest first; deleted ones are not among them.',
      scope: 'org:read',
      query: ListQuery({}),
      status: 200,
      answer: List(App),
      handle: ({ caller, query }) => listApps(ctx, caller, query),
    }),
    route({
      method: 'POST',
      path: '/apps',
      id: 'createApp',
      summary: 'Create an app',
      description: 'A program of yours that calls the API, with keys of its own. It can do nothing before it has one.',
      scope: 'org:write',
      body: CreateApp,
      examples: examples.createApp,
      status: 201,
      answer: App,
      handle: ({ caller, body }) => createApp(ctx, caller, body),
    }),
    route({
      method: 'DELETE',
      path: '/apps/:app_id',
      id: 'deleteApp',
      summary: 'Delete an app',
      description:
        'Its keys stop working at once, on every process, and secrets of its own are deleted. Sessions that it started go on. A second time is 404 `app_not_found`.',
      scope: 'org:write',
      params: { app_id: Id },
      status: 204,
      answer: Type.Null(),
      handle: ({ caller, params }) => deleteApp(ctx, caller, params.app_id),
    }),
    route({
      method: 'GET',
      path: '/apps/:app_id/keys',
      id: 'listAppKeys',
      summary: "List an app's keys",
      description: 'Newest first, revoked ones too; never the keys themselves.',
      scope: 'org:read',
      params: { app_id: Id },
      query: ListQuery({}),
      status: 200,
      answer: List(AppKey),
      handle: ({ caller, params, query }) => listAppKeys(ctx, caller, params.app_id, query),
    }),
    route({
      method: 'POST',
      path: '/apps/:app_id/keys',
      id: 'createAppKey',
      summary: "Create an app's key",
      description:
        'Scopes that your own key lacks cannot be given, nor a later end or other addresses than its own (403 `forbidden`); what you leave out is as with your own. 409 `conflict` beyond 500 keys that work. The answer shows the key this once; a repetition by `Idempotency-Key` leaves it out.',
      scope: 'org:write',
      params: { app_id: Id },
      body: CreateAppKey,
      examples: keyExamples.createKey,
      status: 201,
      answer: IssuedAppKey,
      handle: ({ caller, params, body }) => createAppKey(ctx, caller, params.app_id, body),
    }),
    route({
      method: 'DELETE',
      path: '/apps/:app_id/keys/:key_id',
      id: 'deleteAppKey',
      summary: "Delete an app's key",
      description:
        'On every process, open streams too. What it made goes with it, unless `made=keep`: keys, tool tokens and invitations that wait, and what those keys made; not the key that asks and what that one made. A second time is 404 `key_not_found`.',
      scope: 'org:write',
      params: { app_id: Id, key_id: Id },
      query: RevokeQuery,
      status: 200,
      answer: RevokedAppKey,
      handle: ({ caller, params, query }) => deleteAppKey(ctx, caller, params.app_id, params.key_id, query),
    }),
  ];
}
