import { Type } from 'typebox';
import type { Context } from '../../context.ts';
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
      summary: "Change a member's permission",
      description: 'The last administrator cannot be demoted.',
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
      summary: 'Remove a member and revoke their keys of this organization',
      description: 'The last administrator cannot be removed.',
      scope: 'org:write',
      params: { userId: Id },
      status: 204,
      answer: Type.Null(),
      errors: [409],
      handle: ({ caller, params }) => deleteMember(ctx, caller, params.userId),
    }),
  ];
}
