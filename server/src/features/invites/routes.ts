import type { Context } from '../../context.ts';
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
      summary: 'Accept an invitation, without a key',
      description:
        'Somebody new chooses a name and a password. Somebody who is here already keeps both, and proves by their own password, or by the cookie of their sign-in, that it is them; else `invalid_credentials`. A link that was used, revoked or has expired is `invite_not_found`.',
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
