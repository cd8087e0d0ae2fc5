import type { Context } from '../../app/context.ts';
import { factsOf } from '../../http/authenticate.ts';
import { refuseForgery, refuseOtherSites, signInCookieName } from '../../http/cookie.ts';
import { route, type Route } from '../../http/route.ts';
import { Text } from '../../http/schema.ts';
import type { FailureRecorder } from '../auth/failures.ts';
import type { AuthContext } from '../auth/sign-in-service.ts';
import { acceptInvite } from './accept-service.ts';
import { AcceptedInvite, AcceptInvite } from './schemas.ts';
import * as examples from './examples.ts';

/** Below `/v3`: for whoever holds the link, without a key. */
export function invitationRoutes(ctx: AuthContext & Pick<Context, 'baseUrl'>, failures: FailureRecorder): Route[] {
  return [
    route({
      method: 'POST',
      path: '/invites/:token/accept',
      id: 'acceptInvite',
      summary: 'Accept an invitation',
      description:
        'An account of this e-mail that is here already joins by its own password, or by the cookie of its sign-in (`invalid_credentials` for one of somebody else). Any other name and password make a new account, of this organization alone; whether there are others with the e-mail elsewhere is not told. A link that was used, revoked or has expired is `invite_not_found`; 409 `conflict` where somebody with the e-mail became a member meanwhile.',
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
        // Only without a password does the cookie say who it is.
        const counts = cookie !== undefined && body.password === undefined;
        if (counts) refuseForgery(request, ctx.baseUrl());
        const facts = factsOf(request);
        return acceptInvite(ctx, params.token, body, { facts, failures, cookie: counts ? cookie : undefined });
      },
    }),
  ];
}
