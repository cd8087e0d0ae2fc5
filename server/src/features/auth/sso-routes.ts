import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { factsOf } from '../../http/authenticate.ts';
import { attributes, setSignInCookie, signInCookieName } from '../../http/cookie.ts';
import { route, type Route } from '../../http/route.ts';
import { Text } from '../../http/schema.ts';
import { AppError } from '../../lib/errors.ts';
import { localPath, loginMs, openLogin, sealLogin, type Login } from './login-cookie.ts';
import { createOidcClient } from './oidc.ts';
import type { AuthContext } from './sign-in-service.ts';
import { signInByIdentity, type FollowGroups } from './sso-service.ts';

export type SsoContext = AuthContext & Pick<Context, 'baseUrl' | 'config' | 'log'>;

/** The one provider there is, in paths. */
export const oidcProvider = 'oidc';

const StartQuery = Type.Object(
  { return_to: Type.Optional(Text(2_000, { description: 'A path of this site to go to after signing in.' })) },
  { additionalProperties: false },
);
/** Providers add parameters of their own. */
const CallbackQuery = Type.Object(
  {
    code: Type.Optional(Text(4_000, { description: 'What the provider gave out; it is exchanged for the identity.' })),
    state: Type.Optional(Text(1_000, { description: 'The login that was begun with `/start`.' })),
    iss: Type.Optional(Text(1_000, { description: 'Which provider it is (RFC 9207).' })),
    error: Type.Optional(Text(200, { description: 'Why the provider let nobody in.' })),
    error_description: Type.Optional(Text(4_000, { description: 'The same in words.' })),
  },
  { additionalProperties: true },
);

/** Below `/v3`. */
export function ssoRoutes(ctx: SsoContext, followGroups: FollowGroups): Route[] {
  const { oidc: config } = ctx.config;
  const client = config === undefined ? undefined : createOidcClient(config, () => ctx.clock.now().getTime());
  const params = { provider: Text(40) };
  function providerOf(name: string) {
    if (config === undefined || client === undefined || name !== oidcProvider)
      throw new AppError('not_found', `No identity provider ${JSON.stringify(name)} is configured here.`);
    return { config, client };
  }
  const callbackOf = (name: string): string => `${ctx.baseUrl()}/v3/auth/sso/${name}/callback`;
  return [
    route({
      method: 'GET',
      path: '/auth/sso/:provider/start',
      id: 'startSso',
      summary: 'Start single sign-on',
      description:
        'Sets a cookie that belongs to this one login and is good for ten minutes, and leads to the provider, which leads to `/callback`. Open it in a browser. 404 `not_found` for a provider that is not configured.',
      scope: 'none',
      inBrowser: true,
      params,
      query: StartQuery,
      status: 302,
      answer: Type.Null(),
      errors: [502],
      handle: async ({ params: { provider }, query, reply }) => {
        const { url, checks } = await providerOf(provider).client.begin(callbackOf(provider));
        const return_to = localPath(query.return_to, ctx.baseUrl());
        const expires = ctx.clock.now().getTime() + loginMs;
        keepLogin(reply, ctx, { provider, ...checks, return_to, expires });
        return reply.redirect(url.href);
      },
    }),
    route({
      method: 'GET',
      path: '/auth/sso/:provider/callback',
      id: 'finishSso',
      summary: 'Complete single sign-on',
      description:
        'Sets the cookie of a sign-in, as `POST /v3/auth/sign-in` does, and goes where the login was to lead.',
      scope: 'none',
      inBrowser: true,
      params,
      query: CallbackQuery,
      status: 302,
      answer: Type.Null(),
      errors: [409, 502],
      handle: async ({ params: { provider }, query, request, reply }) => {
        const { client: asked, config: rules } = providerOf(provider);
        const login = takeLogin(request, reply, ctx);
        if (login === undefined || login.provider !== provider || query.state !== login.state)
          throw new AppError(
            'invalid_request',
            'This login was not begun in this browser, or is too old. Start again.',
          );
        // Exactly the address that the provider was given, whatever proxies made of this request's.
        const callback = new URL(callbackOf(provider));
        callback.search = new URL(request.url, callback).search;
        const identity = await asked.finish(callback, login);
        const replaced = request.cookies[signInCookieName(ctx.baseUrl())];
        const signIn = await signInByIdentity(
          ctx,
          rules,
          identity,
          { facts: factsOf(request), replaced },
          followGroups,
        );
        setSignInCookie(reply, ctx.baseUrl(), signIn.token, signIn.expires);
        return reply.redirect(login.return_to);
      },
    }),
  ];
}

function loginCookie(ctx: SsoContext): string {
  return `${signInCookieName(ctx.baseUrl())}-login`;
}

function keepLogin(reply: FastifyReply, ctx: SsoContext, login: Login): void {
  reply.setCookie(loginCookie(ctx), sealLogin(ctx, login), {
    ...attributes(ctx.baseUrl()),
    expires: new Date(login.expires),
  });
}

/** The login of this browser, which is good for one callback. */
function takeLogin(request: FastifyRequest, reply: FastifyReply, ctx: SsoContext): Login | undefined {
  const cookie = request.cookies[loginCookie(ctx)];
  if (cookie === undefined) return undefined;
  reply.clearCookie(loginCookie(ctx), attributes(ctx.baseUrl()));
  return openLogin(ctx, cookie);
}
