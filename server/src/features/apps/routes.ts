import { Type } from 'typebox';
import type { Context } from '../../context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id, List, ListQuery } from '../../http/schema.ts';
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
      summary: 'Delete an app and revoke its keys',
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
      summary: 'Issue a key for an app',
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
      summary: "Delete an app's key: it stops working at once",
      scope: 'org:write',
      params: { app_id: Id, key_id: Id },
      status: 200,
      answer: RevokedAppKey,
      handle: ({ caller, params }) => deleteAppKey(ctx, caller, params.app_id, params.key_id),
    }),
  ];
}
