import { createHmac, timingSafeEqual } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { Context } from '../../app/context.ts';

const Login = Type.Object({
  provider: Type.String(),
  state: Type.String(),
  nonce: Type.String(),
  verifier: Type.String(),
  /** A path on this site. */
  return_to: Type.String(),
  expires: Type.Integer(),
});
/** A pending login at an identity provider. */
export type Login = Static<typeof Login>;

export const loginMs = 10 * 60_000;

/** Seals a login for a cookie: any process can continue it, and nobody can forge one. */
export function sealLogin(ctx: Pick<Context, 'keyRing'>, login: Login): string {
  const payload = Buffer.from(JSON.stringify(login)).toString('base64url');
  return `${payload}.${signature(ctx, payload)}`;
}

/** Returns the login in a cookie; undefined if it is invalid, changed or expired. */
export function openLogin(ctx: Pick<Context, 'keyRing' | 'clock'>, cookie: string): Login | undefined {
  const [payload = '', given = ''] = cookie.split('.');
  const expected = Buffer.from(signature(ctx, payload));
  const actual = Buffer.from(given);
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return undefined;
  const login: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  return Value.Check(Login, login) && login.expires > ctx.clock.now().getTime() ? login : undefined;
}

function signature(ctx: Pick<Context, 'keyRing'>, payload: string): string {
  return createHmac('sha256', ctx.keyRing.derive('sso logins')).update(payload).digest('base64url');
}

/** Returns the path to open after the login: always on this site, whatever was requested. */
export function localPath(wanted: string | undefined, baseUrl: string): string {
  if (wanted === undefined || !/^\/(?![/\\])/.test(wanted)) return '/console/';
  const base = new URL(baseUrl);
  const url = URL.parse(wanted, baseUrl);
  // The parsed path must not lead to another site either: `/.//other.example` has the path `//other.example`.
  if (url === null || url.origin !== base.origin || url.pathname.startsWith('//')) return '/console/';
  return `${url.pathname}${url.search}${url.hash}`;
}
