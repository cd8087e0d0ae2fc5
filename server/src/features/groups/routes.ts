import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id, List, ListQuery, Text } from '../../http/schema.ts';
import { Member } from '../members/schemas.ts';
import { CreateGroup, Group, GroupMemberCount, GroupMembers, GroupUsage, UpdateGroup } from './schemas.ts';
import {
  addGroupMembers,
  createGroup,
  deleteGroup,
  getGroup,
  getGroupUsage,
  listGroupMembers,
  listGroups,
  removeGroupMembers,
  replaceGroupMembers,
  updateGroup,
} from './service.ts';
import * as examples from './examples.ts';

type GroupContext = Pick<Context, 'db' | 'clock'>;

export function groupRoutes(ctx: GroupContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/groups',
      id: 'listGroups',
      summary: 'List groups',
      description: 'Newest first, with their limits; what they used is at `/usage`.',
      scope: 'org:read',
      query: ListQuery({}),
      status: 200,
      answer: List(Group),
      handle: ({ caller, query }) => listGroups(ctx, caller, query),
    }),
    route({
      method: 'POST',
      path: '/groups',
      id: 'createGroup',
      summary: 'Create a group',
      description:
        'Names are unique, whatever their case (409 `conflict`). What is left out of the limits is not limited.',
      scope: 'org:write',
      body: CreateGroup,
      examples: examples.createGroup,
      status: 201,
      answer: Group,
      handle: ({ caller, body }) => createGroup(ctx, caller, body),
    }),
    route({
      method: 'GET',
      path: '/groups/:id',
      id: 'getGroup',
      summary: 'Get a group',
      description: 'With its limits; what it used is at `/usage`, and who is in it at `/members`.',
      scope: 'org:read',
      params: { id: Id },
      status: 200,
      answer: Group,
      handle: ({ caller, params }) => getGroup(ctx, caller, params.id),
    }),
    route({
      method: 'PATCH',
      path: '/groups/:id',
      id: 'updateGroup',
      summary: 'Update a group',
      description:
        'Of the limits, too, only what is named changes; null takes a limit away. Sessions that wait for the group are looked at again.',
      scope: 'org:write',
      params: { id: Id },
      body: UpdateGroup,
      examples: examples.updateGroup,
      status: 200,
      answer: Group,
      errors: [409],
      handle: ({ caller, params, body }) => updateGroup(ctx, caller, params.id, body),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id',
      id: 'deleteGroup',
      summary: 'Delete a group',
      description:
        'Its members stay in the organization. Sessions that run go on, and those that wait for the group wait no longer.',
      scope: 'org:write',
      params: { id: Id },
      status: 204,
      answer: Type.Null(),
      handle: ({ caller, params }) => deleteGroup(ctx, caller, params.id),
    }),
    ...memberRoutes(ctx),
    route({
      method: 'GET',
      path: '/groups/:id/usage',
      id: 'getGroupUsage',
      summary: "Get a group's usage of one day",
      description: "A day is one by the group's clock and begins at its midnight; one without use is all zeros.",
      scope: 'org:read',
      params: { id: Id },
      query: Type.Object(
        { date: Type.Optional(Text(10, { description: "YYYY-MM-DD; today by the group's clock unless told." })) },
        { additionalProperties: false },
      ),
      status: 200,
      answer: GroupUsage,
      handle: ({ caller, params, query }) => getGroupUsage(ctx, caller, params.id, query.date),
    }),
  ];
}

function memberRoutes(ctx: GroupContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/groups/:id/members',
      id: 'listGroupMembers',
      summary: "List a group's members",
      description: 'Newest first, as `GET /members` shows them.',
      scope: 'org:read',
      params: { id: Id },
      query: ListQuery({}),
      status: 200,
      answer: List(Member),
      handle: ({ caller, params, query }) => listGroupMembers(ctx, caller, params.id, query),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/members',
      id: 'replaceGroupMembers',
      summary: "Replace a group's members",
      description:
        'Who is not named leaves the group; `[]` empties it. 404 `user_not_found`, and nothing changed, where one of them is no member of the organization. Sessions that wait for the group are looked at again.',
      scope: 'org:write',
      params: { id: Id },
      body: GroupMembers,
      examples: examples.groupMembers,
      status: 200,
      answer: GroupMemberCount,
      handle: ({ caller, params, body }) => replaceGroupMembers(ctx, caller, params.id, body.user_ids),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/members',
      id: 'addGroupMembers',
      summary: 'Add members to a group',
      description: 'Somebody who is in it already stays in it. Only members of the organization can be (404).',
      scope: 'org:write',
      params: { id: Id },
      body: GroupMembers,
      examples: examples.groupMembers,
      status: 200,
      answer: GroupMemberCount,
      handle: ({ caller, params, body }) => addGroupMembers(ctx, caller, params.id, body.user_ids),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/members',
      id: 'removeGroupMembers',
      summary: 'Remove members from a group',
      description:
        'The body names them. Somebody who is not in the group does no harm. Sessions that wait for the group are looked at again.',
      scope: 'org:write',
      params: { id: Id },
      body: GroupMembers,
      examples: examples.groupMembers,
      status: 200,
      answer: GroupMemberCount,
      handle: ({ caller, params, body }) => removeGroupMembers(ctx, caller, params.id, body.user_ids),
    }),
  ];
}
