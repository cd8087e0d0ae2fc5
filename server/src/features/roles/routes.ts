import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id, List, ListQuery } from '../../http/schema.ts';
import { RoleAssignment, SetRoleAssignment } from './schemas.ts';
import { getRoleAssignment, listRoleAssignments, setRoleAssignment } from './service.ts';
import * as examples from './examples.ts';

export function roleRoutes(ctx: Pick<Context, 'db' | 'clock'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/roles',
      id: 'listRoleAssignments',
      summary: 'List role assignments',
      description: 'Every member has one, newest first: `regular`, with `updated_at` null, if none was set.',
      scope: 'org:read',
      query: ListQuery({}),
      status: 200,
      answer: List(RoleAssignment),
      handle: ({ caller, query }) => listRoleAssignments(ctx, caller, query),
    }),
    route({
      method: 'PUT',
      path: '/roles',
      id: 'setRoleAssignment',
      summary: 'Assign a role',
      description: 'Name the member by either `user_id` or `email`. Idempotent.',
      scope: 'org:write',
      body: SetRoleAssignment,
      examples: examples.setRoleAssignment,
      status: 200,
      answer: RoleAssignment,
      handle: ({ caller, body }) => setRoleAssignment(ctx, caller, body),
    }),
    route({
      method: 'GET',
      path: '/roles/:userId',
      id: 'getRoleAssignment',
      summary: "Get a member's role",
      description:
        '`regular`, with `updated_at` null, if none was set. 404 `user_not_found` for anyone who is not a member.',
      scope: 'org:read',
      params: { userId: Id },
      status: 200,
      answer: RoleAssignment,
      handle: ({ caller, params }) => getRoleAssignment(ctx, caller, params.userId),
    }),
  ];
}
