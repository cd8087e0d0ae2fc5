import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id, List, ListQuery } from '../../http/schema.ts';
import { CreateServiceUser, ServiceUser, UpdateServiceUser } from './schemas.ts';
import {
  createServiceUser,
  disableServiceUser,
  getServiceUser,
  listServiceUsers,
  updateServiceUser,
} from './service.ts';
import * as examples from './examples.ts';

export function serviceUserRoutes(ctx: Pick<Context, 'db' | 'clock'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/service-users',
      id: 'listServiceUsers',
      summary: 'List service users',
      description: 'Newest first, including disabled ones.',
      scope: 'org:read',
      query: ListQuery({}),
      status: 200,
      answer: List(ServiceUser),
      handle: ({ caller, query }) => listServiceUsers(ctx, caller, query),
    }),
    route({
      method: 'POST',
      path: '/service-users',
      id: 'createServiceUser',
      summary: 'Create a service user',
      description: 'A program that calls the API with keys of its own. It needs a key first.',
      scope: 'org:write',
      body: CreateServiceUser,
      examples: examples.createServiceUser,
      status: 201,
      answer: ServiceUser,
      handle: ({ caller, body }) => createServiceUser(ctx, caller, body),
    }),
    route({
      method: 'GET',
      path: '/service-users/:id',
      id: 'getServiceUser',
      summary: 'Get a service user',
      description: 'Also returns a disabled one. Its keys are at `/keys`.',
      scope: 'org:read',
      params: { id: Id },
      status: 200,
      answer: ServiceUser,
      handle: ({ caller, params }) => getServiceUser(ctx, caller, params.id),
    }),
    route({
      method: 'PATCH',
      path: '/service-users/:id',
      id: 'updateServiceUser',
      summary: 'Update a service user',
      description: 'Omitted fields stay unchanged. Its keys are not affected.',
      scope: 'org:write',
      params: { id: Id },
      body: UpdateServiceUser,
      examples: examples.updateServiceUser,
      status: 200,
      answer: ServiceUser,
      handle: ({ caller, params, body }) => updateServiceUser(ctx, caller, params.id, body),
    }),
    route({
      method: 'DELETE',
      path: '/service-users/:id',
      id: 'deleteServiceUser',
      summary: 'Delete a service user',
      description:
        'Disables it permanently: it stays readable, with `disabled_at`. Revokes its keys at once, on every ' +
        'process, and deletes its own secrets. Idempotent.',
      scope: 'org:write',
      params: { id: Id },
      status: 204,
      answer: Type.Null(),
      record: ServiceUser,
      handle: ({ caller, params }) => disableServiceUser(ctx, caller, params.id),
    }),
  ];
}
