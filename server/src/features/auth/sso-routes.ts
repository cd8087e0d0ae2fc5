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
import { fieldError } from '../../lib/field-error.ts';

export type SsoContext = AuthContext & Pick<Context, 'baseUrl' | 'config' | 'log'>;

/** The only provider's name in paths. */
export const oidcProvider = 'oidc';

const StartQuery = Type.Object(
  { return_to: Type.Optional(Text(2_000, { description: 'A path on this site to open after signing in.' })) },
  { additionalProperties: false },
);
/** Providers add parameters of their own. */
const CallbackQuery = Type.Object(
  {
    code: Type.Optional(
      Text(4_000, { description: "The provider's authorization code; it is exchanged for the identity." }),
    ),
    state: Type.Optional(Text(1_000, { description: 'Identifies the login that `/start` began.' })),
    iss: Type.Optional(Text(1_000, { description: 'The issuer: identifies the provider (RFC 9207).' })),
    error: Type.Optional(Text(200, { description: "The provider's error code, if it rejected the login." })),
    error_description: Type.Optional(Text(4_000, { description: "The provider's error message." })),
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
      throw new AppError('not_found', `The identity provider ${JSON.stringify(name)} is not configured here.`);
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
        'Sets a cookie that is valid for this login and ten minutes, and redirects to the provider, which ' +
        'redirects to `/callback`. Open it in a browser. 404 `not_found` for a provider that is not ' +
        'configured.',
      scope: 'none',
      inBrowser: true,
      params,
      query: StartQuery,
      status: 302,
      answer: Type.Null(),
      sends: ['set-cookie'],
      followed: {
        answerType: 'text/html',
        description: "The provider's page, for a browser: it follows the redirect.",
      },
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
        'The identity provider redirects here. Sets the sign-in cookie, like `POST /v3/auth/sign-in`, and ' +
        'redirects to the path given at the start.',
      scope: 'none',
      inBrowser: true,
      params,
      query: CallbackQuery,
      status: 302,
      answer: Type.Null(),
      sends: ['set-cookie'],
      followed: {
        answerType: 'text/html',
        description: 'The page that the person comes back to, for a browser: it follows the redirect.',
      },
      errors: [409, 502],
      handle: async ({ params: { provider }, query, request, reply }) => {
        const { client: asked, config: rules } = providerOf(provider);
        const login = takeLogin(request, reply, ctx);
        if (login === undefined || login.provider !== provider || query.state !== login.state)
          throw fieldError('/state', ': this login was started in another browser, or it expired. Start again.');
        // Exactly the URL that the provider was given, regardless of proxies.
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

/** Takes the browser's login, which is valid for one callback. */
function takeLogin(request: FastifyRequest, reply: FastifyReply, ctx: SsoContext): Login | undefined {
  const cookie = request.cookies[loginCookie(ctx)];
  if (cookie === undefined) return undefined;
  reply.clearCookie(loginCookie(ctx), attributes(ctx.baseUrl()));
  return openLogin(ctx, cookie);
}
