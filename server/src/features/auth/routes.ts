import { Type } from 'typebox';
import type { RequestFacts } from '../../caller.ts';
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
import { createAuthenticator } from '../keys/authenticate.ts';
import type { FailureRecorder } from './failures.ts';
import { SignedIn, SignedOutEverywhere, SignIn, SignInMethods } from './schemas.ts';
import { hasNoPasswords, signInByKey } from './key-sign-in-service.ts';
import { keyIn, passwordIn } from './sign-in-input.ts';
import { signedInPerson } from './person-service.ts';
import { signIn, signOut, signOutEverywhere } from './sign-in-service.ts';
import type { SignInDependencies } from './dependencies.ts';
import { oidcProvider, ssoRoutes, type SsoContext } from './sso-routes.ts';
import * as examples from './examples.ts';

/** Below `/v3`. */
export function authRoutes(
  ctx: SsoContext,
  failures: FailureRecorder,
  { followGroups, recordRefusals }: SignInDependencies,
): Route[] {
  const { oidc } = ctx.config;
  const startUrl = `/v3/auth/sso/${oidcProvider}/start`;
  const refusals = recordRefusals(ctx);
  const keys = createAuthenticator(ctx, (caller, code) => refusals.note(caller, { outcome: 'denied', code }));
  const authenticate = (key: string, facts: RequestFacts) => keys.authenticate(key, facts, 'api');
  return [
    (app) =>
      app.addHook('onClose', async () => {
        await failures.close();
        await keys.close();
        await refusals.close();
      }),
    route({
      method: 'POST',
      path: '/auth/sign-in',
      id: 'signIn',
      summary: 'Sign in',
      description:
        'Sets the sign-in cookie, which expires after 7 days without use and after 30 days at the latest. A wrong ' +
        'e-mail, password or organization all return `invalid_credentials`; after several failures, ' +
        '`retry-after` says when to try again. While nobody has a password (`first_run` in `GET /v3/auth/methods`), ' +
        '`{key}` signs in a user with a key that has all their scopes and no limits, such as the administrator key; ' +
        'later that is 403 `forbidden`.',
      scope: 'none',
      body: SignIn,
      examples: examples.signIn,
      status: 200,
      answer: SignedIn,
      sends: ['set-cookie'],
      handle: async ({ body, request, reply }) => {
        refuseOtherSites(request, ctx.baseUrl());
        const replaced = request.cookies[signInCookieName(ctx.baseUrl())];
        const facts = factsOf(request);
        const { key } = body;
        const started =
          key === undefined
            ? await signIn(ctx, passwordIn(body), { facts, failures, replaced })
            : await signInByKey(ctx, keyIn(body), { facts, replaced, authenticate });
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
      description:
        'The same for everyone, but for `signed_in`. `sso` is empty if the operator has not configured an identity provider.',
      scope: 'none',
      status: 200,
      answer: SignInMethods,
      handle: async ({ request }) => ({
        password: true,
        first_run: await hasNoPasswords(ctx),
        signed_in: (await signedInPerson(ctx, request.cookies[signInCookieName(ctx.baseUrl())])) !== undefined,
        sso: oidc === undefined ? [] : [{ provider: oidcProvider, name: oidc.name, start_url: startUrl }],
      }),
    }),
    ...ssoRoutes(ctx, followGroups),
  ];
}
