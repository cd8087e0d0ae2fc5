import { createHmac, timingSafeEqual } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { Context } from '../../app/context.ts';

/** The lifetime of a link: ten minutes. */
export const linkSeconds = 600;

const Link = Type.Object({
  org: Type.String(),
  id: Type.String(),
  expires: Type.Integer(),
  /** CIDR ranges that it can be used from; empty allows every address. */
  from: Type.Array(Type.String()),
});
type Link = Static<typeof Link>;

/** Creates a token that opens one attachment for anyone who has it, until it expires. */
export function signLink(
  ctx: Pick<Context, 'keyRing'>,
  { expires, ...opens }: { org: string; id: string; expires: Date; from: string[] },
): string {
  const link: Link = { ...opens, expires: expires.getTime() };
  const payload = Buffer.from(JSON.stringify(link)).toString('base64url');
  return `${payload}.${signature(ctx, payload)}`;
}

/** Returns the content of a token; undefined if it is forged, changed or expired. */
export function openLink(ctx: Pick<Context, 'keyRing' | 'clock'>, token: string): Link | undefined {
  const [payload = '', given = ''] = token.split('.');
  const expected = Buffer.from(signature(ctx, payload));
  const actual = Buffer.from(given);
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return undefined;
  const link: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  return Value.Check(Link, link) && link.expires > ctx.clock.now().getTime() ? link : undefined;
}

function signature(ctx: Pick<Context, 'keyRing'>, payload: string): string {
  return createHmac('sha256', ctx.keyRing.derive('download links')).update(payload).digest('base64url');
}
