import type { Kysely, Transaction } from 'kysely';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { claimEmail, readAccounts, type Account } from './address-store.ts';
import { hashPassword } from './password-hash.ts';
import { idleMs, hashToken } from './sign-in-service.ts';
import { accountLimit } from './verify-service.ts';
import { findSignIn, insertPerson, writePassword } from './store.ts';

export { checkNewPassword } from './password-policy.ts';

/** The accounts of an e-mail that a password is compared with. */
export async function accountsOf(db: Kysely<DB>, email: string): Promise<Account[]> {
  return readAccounts(db, email, accountLimit);
}

/** Makes a person the owner of their e-mail, where nobody is: they have shown it to be theirs. */
export async function claim(trx: Transaction<DB>, { id, email }: { id: string; email: string }, now: Date) {
  await claimEmail(trx, id, email, now);
}

export async function hashNewPassword(password: string): Promise<string> {
  return hashPassword(password);
}

/** Makes an account, `verified` for the owner of its e-mail; false where another one owns that. */
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

/** Whether two e-mails are one mailbox. Two may differ in a letter alone that has the same small one: the Kelvin sign is no K. */
export function isSameEmail(one: string, other: string): boolean {
  return foldAscii(one) === foldAscii(other);
}

function foldAscii(email: string): string {
  return email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Whose cookie this is; undefined for one that does not work, and without one. */
export async function signedInPerson(
  ctx: Pick<Context, 'db' | 'clock'>,
  cookie: string | undefined,
): Promise<{ id: string; email: string; name: string } | undefined> {
  if (cookie === undefined) return undefined;
  const [row] = await findSignIn(ctx.db, hashToken(cookie), '-');
  const now = ctx.clock.now();
  if (row === undefined || row.expires_at <= now || now.getTime() - row.last_used_at.getTime() >= idleMs)
    return undefined;
  return { id: row.user_id, email: row.user_email, name: row.user_name };
}
