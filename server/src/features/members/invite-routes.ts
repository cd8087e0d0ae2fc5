import { Type } from 'typebox';
import { route, type Route } from '../../http/route.ts';
import { Body, Id, List, ListQuery } from '../../http/schema.ts';
import { CreateInvites, Invite, InviteResults, ResentInvite } from '../invites/schemas.ts';
import { createInvites, listInvites, resendInvite, revokeInvite, type InviteContext } from '../invites/service.ts';
import * as inviteExamples from '../invites/examples.ts';

export function inviteRoutes(ctx: InviteContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/members/invites',
      id: 'listInvites',
      summary: 'List invitations',
      description: 'Newest first, including accepted, revoked and expired ones; never their links.',
      scope: 'org:read',
      query: ListQuery({}),
      status: 200,
      answer: List(Invite),
      handle: ({ caller, query }) => listInvites(ctx, caller, query),
    }),
    route({
      method: 'POST',
      path: '/members/invites',
      id: 'createInvites',
      summary: 'Create invitations',
      description:
        'Each address has its own result. The invitation is sent by mail; without a mail server, pass on ' +
        '`accept_url`. A link works for seven days, or until your own key expires if that is sooner. 403 ' +
        '`forbidden` for a permission with scopes that your own key lacks.',
      scope: 'org:write',
      body: CreateInvites,
      examples: inviteExamples.createInvites,
      status: 201,
      answer: InviteResults,
      handle: ({ caller, body }) => createInvites(ctx, caller, body),
    }),
    route({
      method: 'DELETE',
      path: '/members/invites/:id',
      id: 'revokeInvite',
      summary: 'Delete an invitation',
      description:
        'Its link stops working at once. 409 `already_revoked` the second time, and `conflict` for an accepted ' +
        'one: remove the member instead.',
      scope: 'org:write',
      params: { id: Id },
      status: 204,
      answer: Type.Null(),
      errors: [409],
      handle: ({ caller, params }) => revokeInvite(ctx, caller, params.id),
    }),
    route({
      method: 'POST',
      path: '/members/invites/:id/resend',
      id: 'resendInvite',
      summary: 'Resend an invitation',
      description:
        'Sends a new link, which works for seven days; the previous one stops working. 409 `conflict` for an ' +
        'accepted or revoked invitation, and 403 `forbidden` for a permission with scopes that your own key ' +
        'lacks.',
      scope: 'org:write',
      params: { id: Id },
      body: Body({}),
      status: 200,
      answer: ResentInvite,
      handle: ({ caller, params }) => resendInvite(ctx, caller, params.id),
    }),
  ];
}
