import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id, List, ListQuery, Text } from '../../http/schema.ts';
import { Member } from '../members/schemas.ts';
import { CreateGroup, Group, GroupMembers, GroupUsage, UpdateGroup } from './schemas.ts';
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
      description: 'Newest first, with their limits; their use is at `/usage`.',
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
      description: 'Names are unique, case-insensitively (409 `conflict`). Omitted limits are unlimited.',
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
      description: 'Returns its limits; its use is at `/usage`, and its members are at `/members`.',
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
        'Omitted fields stay unchanged, also within the limits; null removes a limit. Sessions that wait for the ' +
        'group are checked again.',
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
        'Also deletes its usage records. Its members stay in the organization. Running sessions continue, and ' +
        'sessions that wait for the group stop waiting.',
      scope: 'org:write',
      params: { id: Id },
      status: 204,
      answer: Type.Null(),
      record: Group,
      handle: ({ caller, params }) => deleteGroup(ctx, caller, params.id),
    }),
    ...memberRoutes(ctx),
    route({
      method: 'GET',
      path: '/groups/:id/usage',
      id: 'getGroupUsage',
      summary: "Get a group's usage of one day",
      description: "A day starts at midnight in the group's time zone; a day without use returns zeros.",
      scope: 'org:read',
      params: { id: Id },
      query: Type.Object(
        { date: Type.Optional(Text(10, { description: "YYYY-MM-DD; default today in the group's time zone." })) },
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
      description: 'Newest first, in the format of `GET /members`.',
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
        'Removes all other members; `[]` empties the group. 404 `user_not_found`, without any change, if a ' +
        'user is not a member of the organization. Sessions that wait for the group are checked again. The `ETag` is ' +
        "the group's: read the group before its members, and send it as `If-Match`.",
      scope: 'org:write',
      params: { id: Id },
      body: GroupMembers,
      examples: examples.groupMembers,
      status: 200,
      answer: Group,
      handle: ({ caller, params, body }) => replaceGroupMembers(ctx, caller, params.id, body.user_ids),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/members',
      id: 'addGroupMembers',
      summary: 'Add members to a group',
      description: 'Existing members stay. 404 `user_not_found` if a user is not a member of the organization.',
      scope: 'org:write',
      params: { id: Id },
      body: GroupMembers,
      examples: examples.groupMembers,
      status: 200,
      answer: Group,
      handle: ({ caller, params, body }) => addGroupMembers(ctx, caller, params.id, body.user_ids),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/members',
      id: 'removeGroupMembers',
      summary: 'Remove members from a group',
      description:
        'The body lists them; users outside of the group are ignored. Sessions that wait for the group are checked ' +
        'again.',
      scope: 'org:write',
      params: { id: Id },
      body: GroupMembers,
      examples: examples.groupMembers,
      status: 200,
      answer: Group,
      handle: ({ caller, params, body }) => removeGroupMembers(ctx, caller, params.id, body.user_ids),
    }),
  ];
}
