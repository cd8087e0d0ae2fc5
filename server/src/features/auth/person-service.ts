import type { Kysely, Transaction } from 'kysely';
import type { Context } from '../../context.ts';
import type { DB } from '../../db/types.ts';
import { hashPassword } from './password-hash.ts';
import { idleMs, hashToken } from './sign-in-service.ts';
import { findSignIn, insertPerson, readPersonByEmail, writePassword } from './store.ts';

export { checkNewPassword } from './password-policy.ts';

/** A person by e-mail, without case; `hash` is null without a password. */
export async function personByEmail(db: Kysely<DB>, email: string) {
  return readPersonByEmail(db, email);
}

export async function hashNewPassword(password: string): Promise<string> {
  return hashPassword(password);
}

/** A person who was not here before; false when somebody has the e-mail by now. */
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

/** Whose cookie this is; undefined for one that does not work, and without one. */
export async function signedInPerson(
  ctx: Pick<Context, 'db' | 'clock'>,
  cookie: string | undefined,
): Promise<string | undefined> {
  if (cookie === undefined) return undefined;
  const [row] = await findSignIn(ctx.db, hashToken(cookie), '-');
  const now = ctx.clock.now();
  return row === undefined || row.expires_at <= now || now.getTime() - row.last_used_at.getTime() >= idleMs
    ? undefined
    : row.user_id;
}
