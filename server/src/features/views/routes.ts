import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id, List, ListQuery, Text } from '../../http/schema.ts';
import * as examples from './examples.ts';
import { CreateView, View, viewedLists } from './schemas.ts';
import { createView, deleteView, getView, listViews } from './service.ts';

export function viewRoutes(ctx: Pick<Context, 'db' | 'clock'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/views',
      id: 'listViews',
      summary: 'List views',
      description:
        'Newest first: the views of the lists that your scopes read. Your own filters are a preference of yours.',
      scope: 'any',
      query: ListQuery({ list: Type.Optional(Text(500, { description: viewedLists.join(', ') })) }),
      status: 200,
      answer: List(View),
      handle: ({ caller, query }) => listViews(ctx, caller, query),
    }),
    route({
      method: 'POST',
      path: '/views',
      id: 'createView',
      summary: 'Create a view',
      description:
        'Everybody in the organization who may read the list sees it. Also needs the scope that reads the list. 409 ' +
        '`conflict` for a name that another view of the list has, and beyond 1,000 views.',
      scope: 'run',
      body: CreateView,
      examples: examples.createView,
      status: 201,
      answer: View,
      handle: ({ caller, body }) => createView(ctx, caller, body),
    }),
    route({
      method: 'GET',
      path: '/views/:id',
      id: 'getView',
      summary: 'Get a view',
      description: '404 `view_not_found` also for a view of a list that your scopes do not read.',
      scope: 'any',
      params: { id: Id },
      status: 200,
      answer: View,
      handle: ({ caller, params }) => getView(ctx, caller, params.id),
    }),
    route({
      method: 'DELETE',
      path: '/views/:id',
      id: 'deleteView',
      summary: 'Delete a view',
      description: 'Only its creator, or a holder of the scope `org:write` (403 `forbidden`).',
      scope: 'run',
      params: { id: Id },
      status: 204,
      answer: Type.Null(),
      record: View,
      handle: ({ caller, params }) => deleteView(ctx, caller, params.id),
    }),
  ];
}
