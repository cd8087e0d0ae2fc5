import type { Transaction } from 'kysely';
import type { RequestFacts } from '../../caller.ts';
import type { Context } from '../../context.ts';
import type { DB } from '../../db/types.ts';
import { AppError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { recordPersonalAct } from '../audit-logs/mutate.ts';
import type { FailureRecorder } from '../auth/failures.ts';
import { checkNewPassword, hashNewPassword, newPerson, personByEmail, signedInPerson } from '../auth/person-service.ts';
import { hashToken, verified, wrongCredentials, type AuthContext } from '../auth/sign-in-service.ts';
import { ownerOf, revokeAllKeys } from '../keys/service.ts';
import type { AcceptInvite } from './schemas.ts';
import { insertMemberIfNone, lockOpenInvite, readOpenInvite, updateInvite } from './store.ts';

type OpenInvite = NonNullable<Awaited<ReturnType<typeof readOpenInvite>>>;
type Person = NonNullable<Awaited<ReturnType<typeof personByEmail>>>;

/** What is known of the person who holds an invite's link, for the page behind it. */
export interface InviteOffer {
  email: string;
  organization: string;
  /** Somebody who is here already proves it by their own password, and somebody without one by being signed in. */
  person: 'new' | 'has_password' | 'signs_in_elsewhere' | 'is_signed_in';
}

/** Undefined for a link that is used, revoked, expired or none. */
export async function offerOf(
  ctx: Pick<Context, 'db' | 'clock'>,
  token: string,
  cookie: string | undefined,
): Promise<InviteOffer | undefined> {
  const invite = await readOpenInvite(ctx.db.kysely, hashToken(token), ctx.clock.now());
  if (invite === undefined) return undefined;
  const person = await personByEmail(ctx.db.kysely, invite.email);
  const offer = { email: invite.email, organization: invite.org_name };
  if (person === undefined) return { ...offer, person: 'new' };
  if ((await signedInPerson(ctx, cookie)) === person.id) return { ...offer, person: 'is_signed_in' };
  return { ...offer, person: person.hash === null ? 'signs_in_elsewhere' : 'has_password' };
}

/**
 * Makes whoever holds the link a member. Somebody new gets the name and the password they choose. Somebody who is here
 * already keeps both: the link shows that somebody invited them, not who they are, so they prove it by their own password
 * or by the cookie of their sign-in, else 401 `invalid_credentials`. Throws 404 `invite_not_found`, 400.
 */
export async function acceptInvite(
  ctx: AuthContext,
  token: string,
  input: AcceptInvite,
  request: { facts: RequestFacts; failures: FailureRecorder; cookie: string | undefined },
) {
  const hash = hashToken(token);
  const open = requireOpen(await readOpenInvite(ctx.db.kysely, hash, ctx.clock.now()));
  const person = await personByEmail(ctx.db.kysely, open.email);
  const fresh = person === undefined ? await chooseCredentials(open, input) : undefined;
  if (person !== undefined) await proveIdentity(ctx, person, input.password, request);
  return ctx.db.transaction(async (trx) => {
    const now = ctx.clock.now();
    const invite = requireOpen(await lockOpenInvite(trx, hash, now));
    const isNew = person === undefined;
    const userId = isNew ? newId('usr', now.getTime()) : person.id;
    if (
      fresh !== undefined &&
      !(await newPerson(trx, { id: userId, email: invite.email, verified: invite.mailed, now, ...fresh }))
    )
      throw new AppError('conflict', 'Somebody with this e-mail joined at the same moment. Try again.');
    await join(
      trx,
      invite,
      { userId, email: person?.email ?? invite.email, name: person?.name ?? fresh?.name ?? '' },
      request.facts,
      now,
    );
    const organization = { id: invite.org_id, slug: invite.org_slug, name: invite.org_name };
    return { user_id: userId, email: person?.email ?? invite.email, organization };
  });
}

async function chooseCredentials(invite: OpenInvite, { name, password }: AcceptInvite) {
  if (name === undefined) throw new AppError('invalid_request', 'body.name is required.');
  if (password === undefined) throw new AppError('invalid_request', 'body.password is required.');
  checkNewPassword('body.password', password, { email: invite.email, name });
  return { name, hash: await hashNewPassword(password) };
}

async function proveIdentity(
  ctx: AuthContext,
  person: Person,
  password: string | undefined,
  { facts, failures, cookie }: { facts: RequestFacts; failures: FailureRecorder; cookie: string | undefined },
): Promise<void> {
  if ((await signedInPerson(ctx, cookie)) === person.id) return;
  if (person.hash === null)
    throw new AppError(
      'invalid_credentials',
      'Somebody with this e-mail is here already and has no password. Sign in first, then open the link again.',
    );
  if (password === undefined) throw wrongCredentials();
  await verified(ctx, { email: person.email, person, password, facts, failures });
}

async function join(
  trx: Transaction<DB>,
  invite: OpenInvite,
  person: { userId: string; email: string; name: string },
  facts: RequestFacts,
  now: Date,
): Promise<void> {
  const { userId, email, name } = person;
  const { org_id, permission } = invite;
  const joined = await insertMemberIfNone(trx, {
    org_id,
    user_id: userId,
    permission,
    source: 'invite',
    joined_at: now,
  });
  // What a membership of before left behind does not come back with this one.
  if (joined) await revokeAllKeys(trx, ownerOf(org_id, 'user', userId), now);
  await updateInvite(trx, org_id, invite.id, { accepted_at: now });
  const principal = { type: 'user', id: userId, name, email } as const;
  const who = { principal, request: facts, orgIds: [org_id] };
  const changes = { user_id: userId, permission, joined };
  await recordPersonalAct(
    trx,
    who,
    { action: 'invite.accept', resource: { type: 'invite', id: invite.id }, changes },
    now,
  );
}

function requireOpen<T>(invite: T | undefined): T {
  // Without the token: it may be a real one, of yesterday.
  if (invite === undefined)
    throw new AppError('invite_not_found', 'This invitation was used, taken back or has expired. Ask for a new one.');
  return invite;
}
