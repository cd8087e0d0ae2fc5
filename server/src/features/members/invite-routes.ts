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
      description: 'Newest first, also those that were accepted, revoked or have expired; never their links.',
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
        'Each address has a result of its own. The invitation is sent by mail; without a mail server, `accept_url` is for you to pass on. A link works for seven days, or as long as your own key where that is less. 403 `forbidden` for a permission with scopes that your own key lacks.',
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
        'Its link stops working at once. 409 `already_revoked` the second time, and `conflict` for one that was accepted: remove the member instead.',
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
        'The link of before stops working. 409 `conflict` for one that was accepted or revoked, and 403 `forbidden` for a permission with scopes that your own key lacks.',
      scope: 'org:write',
      params: { id: Id },
      body: Body({}),
      status: 200,
      answer: ResentInvite,
      handle: ({ caller, params }) => resendInvite(ctx, caller, params.id),
    }),
  ];
}
