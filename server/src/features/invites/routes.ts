import type { Context } from '../../app/context.ts';
import { factsOf } from '../../http/authenticate.ts';
import { refuseForgery, refuseOtherSites, signInCookieName } from '../../http/cookie.ts';
import { route, type Route } from '../../http/route.ts';
import { Text } from '../../http/schema.ts';
import type { FailureRecorder } from '../auth/failures.ts';
import type { AuthContext } from '../auth/sign-in-service.ts';
import { acceptInvite, offerOf } from './accept-service.ts';
import { AcceptedInvite, AcceptInvite, InviteOffer } from './schemas.ts';
import * as examples from './examples.ts';

/** Below `/v3`: for holders of a link, without a key. */
export function invitationRoutes(ctx: AuthContext & Pick<Context, 'baseUrl'>, failures: FailureRecorder): Route[] {
  return [
    route({
      method: 'GET',
      path: '/invites/:token',
      id: 'getInviteOffer',
      summary: "Get an invitation by its link's token",
      description:
        'Who is invited to which organization. Does not reveal if the e-mail has an account. A used, revoked or ' +
        'expired link returns `invite_not_found`.',
      scope: 'none',
      params: { token: Text(100) },
      status: 200,
      answer: InviteOffer,
      handle: ({ params, request }) => offerOf(ctx, params.token, request.cookies[signInCookieName(ctx.baseUrl())]),
    }),
    route({
      method: 'POST',
      path: '/invites/:token/accept',
      id: 'acceptInvite',
      summary: 'Accept an invitation',
      description:
        'An existing account with this e-mail joins with its own password, or with its sign-in cookie ' +
        "(`invalid_credentials` for another user's). Any other name and password create a new account in this " +
        'organization only; the response does not reveal if other accounts have the e-mail. A used, revoked or ' +
        'expired link returns `invite_not_found`; 409 `conflict` if a user with the e-mail became a member ' +
        'meanwhile.',
      scope: 'none',
      params: { token: Text(100) },
      body: AcceptInvite,
      examples: examples.acceptInvite,
      status: 201,
      answer: AcceptedInvite,
      errors: [409],
      handle: async ({ params, body, request }) => {
        refuseOtherSites(request, ctx.baseUrl());
        const cookie = request.cookies[signInCookieName(ctx.baseUrl())];
        // The cookie identifies the user only if no password is sent.
        const counts = cookie !== undefined && body.password === undefined;
        if (counts) refuseForgery(request, ctx.baseUrl());
        const facts = factsOf(request);
        return acceptInvite(ctx, params.token, body, { facts, failures, cookie: counts ? cookie : undefined });
      },
    }),
  ];
}
