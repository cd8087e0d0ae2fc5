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
      description: 'Newest first, without deleted ones.',
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
      description: 'A program that calls the API with keys of its own. It needs a key first.',
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
        'Revokes its keys at once, on every process, and deletes its own secrets. Sessions that it started ' +
        'continue. 404 `app_not_found` the second time.',
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
      description: 'Newest first, including revoked ones; never the keys themselves.',
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
        'A key cannot have scopes, a later end or other addresses than your own key (403 `forbidden`); what you ' +
        'omit is copied from it. 409 `conflict` beyond 500 active keys. The response shows the key only once; a ' +
        'repeated request with the same `Idempotency-Key` omits it.',
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
        'The key stops working at once, on every process, also for open streams. Unless `made=keep`, also ' +
        'revokes what the key created, recursively: keys, MCP tokens and pending invitations; not the calling key ' +
        'and what that created. 404 `key_not_found` the second time.',
      scope: 'org:write',
      params: { app_id: Id, key_id: Id },
      query: RevokeQuery,
      status: 200,
      answer: RevokedAppKey,
      handle: ({ caller, params, query }) => deleteAppKey(ctx, caller, params.app_id, params.key_id, query),
    }),
  ];
}
