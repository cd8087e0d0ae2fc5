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
  /** The one branch it may push. */
  branch: Type.String(),
  expires: Type.Integer(),
});

/** What a run may do with one repository of the built-in host: read it, and push its own branch while it holds its fence. */
export type RunCredential = Static<typeof RunCredential>;

const prefix = 'guildrun_';
/** A credential outlives the longest push of a pack, and no more: each git call gets a fresh one. */
const credentialMs = 15 * 60_000;

/** The built-in host, reached over the API's smart HTTP like any other: a worker may be on another machine. */
export function builtInCloneAccess(ctx: { keyRing: KeyRing; clock: Clock }, apiUrl: () => string) {
  return ({ orgId: org, id: repository, repo }: RepositoryRef, run: RunAccess): CloneAccess => ({
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

/** A credential as a token that every API process can check, because all share the key ring. */
export function signRunCredential(ctx: { keyRing: KeyRing }, credential: RunCredential): string {
  const payload = Buffer.from(JSON.stringify(credential)).toString('base64url');
  return `${prefix}${payload}.${signature(ctx, payload)}`;
}

/** The credential inside a token; undefined when it is none, was changed or ran out. */
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
