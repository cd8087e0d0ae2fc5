import { createHmac, timingSafeEqual } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { Context } from '../../app/context.ts';

const RunCredential = Type.Object({
  org: Type.String(),
  repository: Type.String(),
  session: Type.String(),
  fence: Type.Integer(),
  /** The one branch it may push. */
  branch: Type.String(),
  expires: Type.Integer(),
});

/** What a run may do with one repository of the built-in host: read it, and push its own branch while it holds its fence. */
export type RunCredential = Static<typeof RunCredential>;

const prefix = 'guildrun_';

/** A credential as a token that every API process can check, because all share the key ring. */
export function signRunCredential(ctx: Pick<Context, 'keyRing'>, credential: RunCredential): string {
  const payload = Buffer.from(JSON.stringify(credential)).toString('base64url');
  return `${prefix}${payload}.${signature(ctx, payload)}`;
}

/** The credential inside a token; undefined when it is none, was changed or ran out. */
export function verifyRunCredential(ctx: Pick<Context, 'keyRing' | 'clock'>, token: string): RunCredential | undefined {
  if (!token.startsWith(prefix)) return undefined;
  const [payload = '', given = ''] = token.slice(prefix.length).split('.');
  const expected = Buffer.from(signature(ctx, payload));
  const actual = Buffer.from(given);
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return undefined;
  const credential: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  return Value.Check(RunCredential, credential) && credential.expires > ctx.clock.now().getTime()
    ? credential
    : undefined;
}

function signature(ctx: Pick<Context, 'keyRing'>, payload: string): string {
  return createHmac('sha256', ctx.keyRing.derive('run credentials')).update(payload).digest('base64url');
}
