import { Type } from 'typebox';
import { factsOf } from '../../http/authenticate.ts';
import {
  clearSignInCookie,
  refuseForgery,
  refuseOtherSites,
  setSignInCookie,
  signInCookieName,
} from '../../http/cookie.ts';
import { route, type Route } from '../../http/route.ts';
import { Body } from '../../http/schema.ts';
import type { FailureRecorder } from './failures.ts';
import { SignedIn, SignedOutEverywhere, SignIn, SignInMethods } from './schemas.ts';
import { signIn, signOut, signOutEverywhere } from './sign-in-service.ts';
import type { FollowGroups } from './sso-service.ts';
import { oidcProvider, ssoRoutes, type SsoContext } from './sso-routes.ts';
import * as examples from './examples.ts';

/** Below `/v3`. */
export function authRoutes(ctx: SsoContext, failures: FailureRecorder, followGroups: FollowGroups): Route[] {
  const { oidc } = ctx.config;
  const startUrl = `/v3/auth/sso/${oidcProvider}/start`;
  return [
    (app) => app.addHook('onClose', () => failures.close()),
    route({
      method: 'POST',
      path: '/auth/sign-in',
      id: 'signIn',
      summary: 'Sign in with e-mail and password',
      description:
        'Sets the sign-in cookie, which expires after 7 days without use and after 30 days at the latest. A wrong ' +
        'e-mail, password or organization all return `invalid_credentials`; after several failures, ' +
        '`retry-after` says when to try again.',
      scope: 'none',
      body: SignIn,
      examples: examples.signIn,
      status: 200,
      answer: SignedIn,
      sends: ['set-cookie'],
      handle: async ({ body, request, reply }) => {
        refuseOtherSites(request, ctx.baseUrl());
        const replaced = request.cookies[signInCookieName(ctx.baseUrl())];
        const started = await signIn(ctx, body, { facts: factsOf(request), failures, replaced });
        setSignInCookie(reply, ctx.baseUrl(), started.token, started.expires);
        return started.signedIn;
      },
    }),
    route({
      method: 'POST',
      path: '/auth/sign-out',
      id: 'signOut',
      summary: 'Sign out',
      description: "Ends the cookie's sign-in on every process, and deletes the cookie. Harmless without one.",
      scope: 'none',
      body: Body({}),
      status: 204,
      answer: Type.Null(),
      sends: ['set-cookie'],
      handle: async ({ request, reply }) => {
        const token = request.cookies[signInCookieName(ctx.baseUrl())];
        if (token === undefined) return null;
        refuseForgery(request, ctx.baseUrl());
        await signOut(ctx, token, factsOf(request));
        clearSignInCookie(reply, ctx.baseUrl());
        return null;
      },
    }),
    route({
      method: 'POST',
      path: '/auth/sign-out-everywhere',
      id: 'signOutEverywhere',
      summary: 'Sign out of all devices',
      description: 'Takes effect at once, also for open streams. Keys keep working.',
      scope: 'any',
      persons: true,
      personal: true,
      body: Body({}),
      status: 200,
      answer: SignedOutEverywhere,
      sends: ['set-cookie'],
      handle: async ({ caller, reply }) => {
        const ended = await signOutEverywhere(ctx, caller);
        clearSignInCookie(reply, ctx.baseUrl());
        return ended;
      },
    }),
    route({
      method: 'GET',
      path: '/auth/methods',
      id: 'getSignInMethods',
      summary: 'List the sign-in methods',
      description: 'The same for everyone. `sso` is empty if the operator has not configured an identity provider.',
      scope: 'none',
      status: 200,
      answer: SignInMethods,
      handle: () => ({
        password: true,
        sso: oidc === undefined ? [] : [{ provider: oidcProvider, name: oidc.name, start_url: startUrl }],
      }),
    }),
    ...ssoRoutes(ctx, followGroups),
  ];
}
