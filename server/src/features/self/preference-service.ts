import { isDeepStrictEqual } from 'node:util';
import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { AppError } from '../../lib/errors.ts';
import { fieldError } from '../../lib/field-error.ts';
import { isRecord } from '../../lib/record.ts';
import { mutate } from '../../mutation/mutate.ts';
import { requireMatch } from '../../mutation/precondition.ts';
import { parseChoice, storedChoice } from '../notifications/choice.ts';
import { lockPreferences, readPreference, upsertPreference, type Owner } from './preference-store.ts';

type PreferenceContext = Pick<Context, 'db' | 'clock'>;

const maxBytes = 65_536;
const maxPreferences = 50;
/** The preference that the platform itself reads. */
const notifications = 'notifications';

/** Returns a preference of the caller; `{}` if it was never set. */
export async function getPreference(ctx: Pick<Context, 'db'>, caller: Actor, name: string) {
  return preferenceIn(ctx.db.kysely, caller, name);
}

/** Throws 400 for a value that is too large or does not fit, 409 `conflict` if there are 50 others. */
export async function replacePreference(
  ctx: PreferenceContext,
  caller: Caller,
  name: string,
  sent: Record<string, unknown>,
) {
  const value = name === notifications ? parseChoice(sent) : sent;
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) > maxBytes) throw fieldError('/value', `is longer than ${maxBytes} bytes in UTF-8.`);
  return mutate(ctx, caller, async (trx, audit) => {
    const owner = ownerOf(caller);
    const names = await lockPreferences(trx, owner);
    const before = await preferenceIn(trx, caller, name);
    await requireMatch(caller, () => before);
    if (before.updated_at !== null && isDeepStrictEqual(before.value, JSON.parse(text))) return before;
    if (!names.includes(name) && names.length >= maxPreferences)
      throw new AppError('conflict', `Limit reached: you can have at most ${maxPreferences} preferences here.`);
    await upsertPreference(trx, owner, name, text, ctx.clock.now());
    audit({ action: 'preference.replace', resource: { type: 'preference', id: name }, changes: { name } });
    return preferenceIn(trx, caller, name);
  });
}

async function preferenceIn(db: Context['db']['kysely'], caller: Actor, name: string) {
  const row = await readPreference(db, ownerOf(caller), name);
  const stored = isRecord(row?.value) ? row.value : {};
  return { name, value: name === notifications ? storedChoice(stored) : stored, updated_at: row?.updated_at ?? null };
}

function ownerOf({ organization, principal }: Actor): Owner {
  return { orgId: organization.id, userId: principal.id };
}
