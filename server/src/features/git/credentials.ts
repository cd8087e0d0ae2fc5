import { createHmac, timingSafeEqual } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { CloneAccess, RepositoryRef, RunAccess } from '../../adapters/source-control/port.ts';
import type { KeyRing } from '../../adapters/keys/port.ts';
import type { Clock } from '../../lib/clock.ts';

const RunCredential = Type.Object({
  org: Type.String(),
  repository: Type.String(),
  session: Type.String(),
  fence: Type.Integer(),
  /** The only branch that it may push. */
  branch: Type.String(),
  expires: Type.Integer(),
});

/**
 * The permissions of a run in one repository of the built-in host: to read it, and to push its own branch while its
 * fencing token is valid.
 */
export type RunCredential = Static<typeof RunCredential>;

const prefix = 'guildrun_';
/** The lifetime of a credential: the longest push, and no more, because each git call gets a new one. */
const credentialMs = 15 * 60_000;

/** Returns access to the built-in host over the API's smart HTTP, because the worker may be on another machine. */
export function builtInCloneAccess(ctx: { keyRing: KeyRing; clock: Clock }, apiUrl: () => string) {
  return async ({ orgId: org, id: repository, repo }: RepositoryRef, run: RunAccess): Promise<CloneAccess> => ({
    remoteUrl: `${apiUrl()}/git-run/${repo}.git`,
    exempt: true,
    authorization: async () => {
      const { sessionId: session, fence } = run;
      const expires = ctx.clock.now().getTime() + credentialMs;
      const credential = { org, repository, session, fence, branch: await run.branch(), expires };
      return `Bearer ${signRunCredential(ctx, credential)}`;
    },
  });
}

/** Encodes a credential as a token that every API process can verify with the shared key ring. */
export function signRunCredential(ctx: { keyRing: KeyRing }, credential: RunCredential): string {
  const payload = Buffer.from(JSON.stringify(credential)).toString('base64url');
  return `${prefix}${payload}.${signature(ctx, payload)}`;
}

/** Returns the credential in a token; undefined if it is invalid, changed or expired. */
export function verifyRunCredential(ctx: { keyRing: KeyRing; clock: Clock }, token: string): RunCredential | undefined {
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

function signature(ctx: { keyRing: KeyRing }, payload: string): string {
  return createHmac('sha256', ctx.keyRing.derive('run credentials')).update(payload).digest('base64url');
}
