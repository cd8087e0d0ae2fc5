import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Body, List, ListQuery, Text } from '../../http/schema.ts';
import { deleteOrganization, restoreOrganization, type IsBusy } from './deletion-service.ts';
import { CreatedOrganization, CreateOrganization, Organization, UpdateOrganization } from './schemas.ts';
import { createOrganization, getOrganization, listOrganizations, updateOrganization } from './service.ts';
import * as examples from './examples.ts';

type OrganizationContext = Pick<Context, 'db' | 'clock'>;
type CollectionContext = Pick<Context, 'db' | 'clock' | 'config'>;

/** Below `/v3`. */
export function organizationCollectionRoutes(ctx: CollectionContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/organizations',
      id: 'listOrganizations',
      summary: 'List your organizations',
      description: 'A user sees every organization they are a member of; any other key sees its own.',
      scope: 'any',
      personal: true,
      whileSuspended: true,
      query: ListQuery({}),
      status: 200,
      answer: List(Organization),
      handle: ({ caller, query }) => listOrganizations(ctx, caller, query),
    }),
    route({
      method: 'POST',
      path: '/organizations',
      id: 'createOrganization',
      summary: 'Create an organization',
      description:
        'You become its administrator. It starts with an agent named `builtin` and the built-in git host. By ' +
        'default the slug is derived from the name; 409 `slug_taken`. 403 `forbidden` if only the operator ' +
        'creates organizations (`GUILDHALL_ORGANIZATIONS=operator`), and if you have created as many as the ' +
        'operator allows. The response shows a key of yours for it only once, with the scopes, end and addresses ' +
        'of the calling one.',
      scope: 'org:write',
      persons: true,
      whileDeleting: true,
      body: CreateOrganization,
      examples: examples.createOrganization,
      status: 201,
      answer: CreatedOrganization,
      record: Organization,
      handle: ({ caller, body }) => createOrganization(ctx, caller, body),
    }),
  ];
}

/** Below `/v3/organizations/{orgId}`. */
export function organizationRoutes(ctx: OrganizationContext, isBusy: IsBusy): Route[] {
  return [
    route({
      method: 'GET',
      path: '/',
      id: 'getOrganization',
      summary: 'Get an organization',
      description: 'By its id or its slug, including slugs of the last 90 days.',
      scope: 'org:read',
      whileSuspended: true,
      status: 200,
      answer: Organization,
      handle: ({ caller }) => getOrganization(ctx, caller),
    }),
    route({
      method: 'PATCH',
      path: '/',
      id: 'updateOrganization',
      summary: 'Update an organization',
      description:
        'The old slug keeps resolving for 90 days. 409 `slug_taken` if another organization has the new one, or ' +
        'had it in the last 90 days.',
      scope: 'org:write',
      body: UpdateOrganization,
      examples: examples.updateOrganization,
      status: 200,
      answer: Organization,
      errors: [409],
      handle: ({ caller, body }) => updateOrganization(ctx, caller, body),
    }),
    route({
      method: 'DELETE',
      path: '/',
      id: 'deleteOrganization',
      summary: 'Delete an organization',
      description:
        'It can be restored for 30 days; then it is purged. Until then it serves only reads and `/restore`. 400 ' +
        'unless `confirm` is its slug, 409 `organization_busy` while sessions are running or waiting for a ' +
        'worker.',
      scope: 'org:write',
      query: Type.Object(
        { confirm: Text(40, { description: "The organization's slug, to confirm which one is deleted." }) },
        { additionalProperties: false },
      ),
      status: 202,
      answer: Organization,
      errors: [409],
      handle: ({ caller, query }) => deleteOrganization(ctx, caller, query.confirm, isBusy),
    }),
    route({
      method: 'POST',
      path: '/restore',
      id: 'restoreOrganization',
      summary: 'Restore a deleted organization',
      description:
        'Undoes a deletion of the last 30 days; no data is lost until then. 409 `conflict` for an organization ' +
        'that is not deleted.',
      scope: 'org:write',
      whileDeleting: true,
      body: Body({}),
      status: 200,
      answer: Organization,
      errors: [409],
      handle: ({ caller }) => restoreOrganization(ctx, caller),
    }),
  ];
}
