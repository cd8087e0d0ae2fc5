import type { Kysely, Transaction } from 'kysely';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { claimEmail, readAccounts, type Account } from './address-store.ts';
import { hashPassword } from './password-hash.ts';
import { idleMs, hashToken } from './sign-in-service.ts';
import { accountLimit } from './verify-service.ts';
import { findSignIn, insertPerson, writePassword } from './store.ts';

export { checkNewPassword } from './password-policy.ts';

/** Returns the accounts of an e-mail that a password is checked against. */
export async function accountsOf(db: Kysely<DB>, email: string): Promise<Account[]> {
  return readAccounts(db, email, accountLimit);
}

/** Makes a user the owner of their verified e-mail, if it has none. */
export async function claim(trx: Transaction<DB>, { id, email }: { id: string; email: string }, now: Date) {
  await claimEmail(trx, id, email, now);
}

export async function hashNewPassword(password: string): Promise<string> {
  return hashPassword(password);
}

/** Creates an account, `verified` for the owner of its e-mail; false if another account owns it. */
export async function newPerson(
  trx: Transaction<DB>,
  person: { id: string; email: string; name: string; hash: string | undefined; verified: boolean; now: Date },
): Promise<boolean> {
  const { id, email, name, hash, now } = person;
  const verifiedAt = person.verified ? now : null;
  const row = { id, email, name, email_verified_at: verifiedAt, created_at: now, updated_at: now };
  if (!(await insertPerson(trx, row))) return false;
  if (hash !== undefined) await writePassword(trx, id, hash, now);
  return true;
}

/** Tells if two e-mails are the same mailbox. Lower-casing alone is not enough: the Kelvin sign lower-cases to k. */
export function isSameEmail(one: string, other: string): boolean {
  return foldAscii(one) === foldAscii(other);
}

function foldAscii(email: string): string {
  return email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Returns the user of a cookie; undefined without a valid one. */
export async function signedInPerson(
  ctx: Pick<Context, 'db' | 'clock'>,
  cookie: string | undefined,
): Promise<{ id: string; email: string; name: string } | undefined> {
  if (cookie === undefined) return undefined;
  const [row] = await findSignIn(ctx.db, { hash: hashToken(cookie) }, '-');
  const now = ctx.clock.now();
  if (row === undefined || row.expires_at <= now || now.getTime() - row.last_used_at.getTime() >= idleMs)
    return undefined;
  return { id: row.user_id, email: row.user_email, name: row.user_name };
}
