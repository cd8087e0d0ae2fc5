import type { Context } from '../../context.ts';
import { route, type Route } from '../../http/route.ts';
import { List, ListQuery } from '../../http/schema.ts';
import { CreatedOrganization, CreateOrganization, Organization, UpdateOrganization } from './schemas.ts';
import { createOrganization, getOrganization, listOrganizations, updateOrganization } from './service.ts';

type OrganizationContext = Pick<Context, 'db' | 'clock'>;

/** Below `/v3`. */
export function organizationCollectionRoutes(ctx: OrganizationContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/organizations',
      id: 'listOrganizations',
      summary: 'List the organizations you belong to',
      scope: 'any',
      personal: true,
      query: ListQuery({}),
      status: 200,
      answer: List(Organization),
      handle: ({ caller, query }) => listOrganizations(ctx, caller, query),
    }),
    route({
      method: 'POST',
      path: '/organizations',
      id: 'createOrganization',
      summary: 'Create an organization; for persons',
      scope: 'org:write',
      persons: true,
      body: CreateOrganization,
      status: 201,
      answer: CreatedOrganization,
      handle: ({ caller, body }) => createOrganization(ctx, caller, body),
    }),
  ];
}

/** Below `/v3/organizations/{orgId}`. */
export function organizationRoutes(ctx: OrganizationContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/',
      id: 'getOrganization',
      summary: 'Get the organization',
      scope: 'org:read',
      status: 200,
      answer: Organization,
      handle: ({ caller }) => getOrganization(ctx, caller),
    }),
    route({
      method: 'PATCH',
      path: '/',
      id: 'updateOrganization',
      summary: 'Rename the organization or change its slug',
      description: 'The old slug keeps resolving for 90 days.',
      scope: 'org:write',
      body: UpdateOrganization,
      status: 200,
      answer: Organization,
      errors: [409],
      handle: ({ caller, body }) => updateOrganization(ctx, caller, body),
    }),
  ];
}
