import type { Transaction } from 'kysely';
import type { RequestFacts } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { AppError } from '../../lib/errors.ts';
import { fieldError } from '../../lib/field-error.ts';
import { newId } from '../../lib/ids.ts';
import { recordPersonalAct } from '../../mutation/mutate.ts';
import type { FailureRecorder } from '../auth/failures.ts';
import {
  accountsOf,
  checkNewPassword,
  claim,
  hashNewPassword,
  isSameEmail,
  newPerson,
  signedInPerson,
} from '../auth/person-service.ts';
import { hashToken, requirePassword, type AuthContext } from '../auth/sign-in-service.ts';
import { verified } from '../auth/verify-service.ts';
import { ownerOf, revokeAllKeys } from '../keys/service.ts';
import type { AcceptInvite } from './schemas.ts';
import {
  insertMemberIfNone,
  isMemberByEmail,
  lockInviting,
  lockOpenInvite,
  readOpenInvite,
  updateInvite,
} from './store.ts';

type OpenInvite = NonNullable<Awaited<ReturnType<typeof readOpenInvite>>>;

/**
 * Returns what the holder of a link is invited to. Does not reveal if the e-mail has an account elsewhere. Throws 404
 * `invite_not_found`.
 */
export async function offerOf(ctx: Pick<Context, 'db' | 'clock'>, token: string, cookie: string | undefined) {
  const invite = requireOpen(await readOpenInvite(ctx.db.kysely, hashToken(token), ctx.clock.now()));
  const person = await signedInPerson(ctx, cookie);
  return {
    email: invite.email,
    permission: invite.permission,
    organization: { id: invite.org_id, slug: invite.org_slug, name: invite.org_name },
    signed_in: person !== undefined && isSameEmail(person.email, invite.email),
    expires_at: invite.expires_at,
  };
}

interface AcceptRequest {
  facts: RequestFacts;
  failures: FailureRecorder;
  cookie: string | undefined;
}

/**
 * Makes the holder of a link a member. The link proves an invitation, not an identity: an existing account joins only with its
 * own password or its sign-in cookie; any other name and password create a new account of this organization, which has no access
 * to what others with the same e-mail have. Does not reveal if others exist. Throws 404 `invite_not_found`, 400, 401
 * `invalid_credentials` for another user's cookie, 409, 429.
 */
export async function acceptInvite(ctx: AuthContext, token: string, input: AcceptInvite, request: AcceptRequest) {
  const hash = hashToken(token);
  const open = requireOpen(await readOpenInvite(ctx.db.kysely, hash, ctx.clock.now()));
  const known = await provenAccount(ctx, open, input, request);
  const fresh = known === undefined ? await newCredentials(input) : undefined;
  return ctx.db.transaction(async (trx) => {
    const now = ctx.clock.now();
    // Before the row, as when it is sent again.
    await lockInviting(trx, open.org_id);
    const invite = requireOpen(await lockOpenInvite(trx, hash, now));
    if (known?.hash !== undefined) await requirePassword(trx, { id: known.id, hash: known.hash });
    const person = known ?? { id: newId('usr', now.getTime()), email: invite.email, name: fresh?.name ?? '' };
    await requireOneMember(trx, invite, person.id);
    if (fresh !== undefined) await newPerson(trx, { ...person, hash: fresh.hash, verified: false, now });
    // The holder of a mailed link controls the mailbox.
    if (invite.mailed) await claim(trx, person, now);
    await join(trx, invite, { ...person, userId: person.id }, request.facts, now);
    const organization = { id: invite.org_id, slug: invite.org_slug, name: invite.org_name };
    return { user_id: person.id, email: person.email, organization };
  });
}

/** Returns the account that the holder of a link has proven to own; undefined if they choose a name and a password. */
async function provenAccount(
  ctx: AuthContext,
  { email }: OpenInvite,
  { name, password }: AcceptInvite,
  { facts, failures, cookie }: AcceptRequest,
): Promise<{ id: string; email: string; name: string; hash?: string } | undefined> {
  if (password === undefined) {
    if (cookie === undefined) throw fieldError('/password', 'is required unless you are signed in.');
    const person = await signedInPerson(ctx, cookie);
    if (person !== undefined && isSameEmail(person.email, email)) return person;
    throw new AppError(
      'invalid_credentials',
      `You are not signed in as ${email}. Sign in with that e-mail, or send a name and a password.`,
    );
  }
  // Validated before any comparison, so that an invalid request does not count as a password attempt.
  if (name !== undefined) checkNewPassword('/password', password, { email, name });
  const accounts = await accountsOf(ctx.db.kysely, email);
  const known = await verified(ctx, { email, accounts, password, facts, failures, by: 'link' });
  if (known === undefined && name === undefined)
    throw fieldError('/name', 'is required, unless the password belongs to an existing account of yours.');
  return known;
}

async function newCredentials({ name = '', password = '' }: AcceptInvite) {
  return { name, hash: await hashNewPassword(password) };
}

/** Throws if another member has the e-mail: an organization knows a user by one e-mail. */
async function requireOneMember(trx: Transaction<DB>, { org_id: orgId, email }: OpenInvite, userId: string) {
  if (await isMemberByEmail(trx, orgId, email, userId))
    throw new AppError('conflict', `A member with the e-mail ${email} already exists. Sign in as that member.`);
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
  // A new membership does not restore what the previous one had.
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
  // Omits the token: it may be an old but genuine one.
  if (invite === undefined)
    throw new AppError('invite_not_found', 'This invitation was used, was revoked or has expired. Ask for a new one.');
  return invite;
}
