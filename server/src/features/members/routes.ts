import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id, List, ListQuery } from '../../http/schema.ts';
import { Member, memberFilters, UpdateMember } from './schemas.ts';
import { deleteMember, getMember, listMembers, updateMember } from './service.ts';
import * as examples from './examples.ts';

export function memberRoutes(ctx: Pick<Context, 'db' | 'clock'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/members',
      id: 'listMembers',
      summary: 'List members',
      description: 'Newest first. Service users and apps are not members.',
      scope: 'org:read',
      query: ListQuery(memberFilters),
      status: 200,
      answer: List(Member),
      handle: ({ caller, query }) => listMembers(ctx, caller, query),
    }),
    route({
      method: 'GET',
      path: '/members/:userId',
      id: 'getMember',
      summary: 'Get a member',
      description: '404 `user_not_found` for anyone who is not a member, even if the user exists.',
      scope: 'org:read',
      params: { userId: Id },
      status: 200,
      answer: Member,
      handle: ({ caller, params }) => getMember(ctx, caller, params.userId),
    }),
    route({
      method: 'PATCH',
      path: '/members/:userId',
      id: 'updateMember',
      summary: "Update a member's permission",
      description:
        'Takes effect with their next request. 409 `last_admin`: the last administrator cannot be demoted. 403 ' +
        '`forbidden` for a permission with scopes that your own key lacks.',
      scope: 'org:write',
      params: { userId: Id },
      body: UpdateMember,
      examples: examples.updateMember,
      status: 200,
      answer: Member,
      errors: [409],
      handle: ({ caller, params, body }) => updateMember(ctx, caller, params.userId, body),
    }),
    route({
      method: 'DELETE',
      path: '/members/:userId',
      id: 'deleteMember',
      summary: 'Remove a member',
      description:
        'Revokes their keys and MCP token of the organization at once; their sign-ins no longer give access to it, ' +
        'and their own secrets and notes are deleted. Sessions that they started continue. 409 `last_admin`: the ' +
        'last administrator cannot be removed.',
      scope: 'org:write',
      params: { userId: Id },
      status: 204,
      answer: Type.Null(),
      record: Member,
      errors: [409],
      handle: ({ caller, params }) => deleteMember(ctx, caller, params.userId),
    }),
  ];
}
