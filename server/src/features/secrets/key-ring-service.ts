import { ringKeyOfRoot, rewrapInstallationRoot } from '../../db/installation-keys.ts';
import { messageOf } from '../../lib/errors.ts';
import { countByRingKey, listWrappedOtherwise, replaceWrapping, withRingLock, type StoredKey } from './key-store.ts';
import { bindingOf, type KeyContext } from './organization-keys.ts';

/** Prints one line for the operator. */
type Say = (line: string) => void;

const batch = 100;

/** Prints each key of the ring and how many data keys it wraps. */
export async function describeKeyRing(ctx: KeyContext, say: Say): Promise<void> {
  const [current, ids, counts] = [await ctx.keyRing.current(), await ctx.keyRing.ids(), await counted(ctx)];
  for (const id of new Set([...ids, ...counts.keys()])) {
    const what = id === current ? 'current' : ids.includes(id) ? 'retired' : 'MISSING from the ring';
    say(`${id}  ${what}, wraps ${counts.get(id) ?? 0}`);
  }
}

/**
 * Creates a new current key and rewraps all data keys under it, without downtime: the old key stays in the ring until {@link
 * pruneKeyRing}. Throws if the operator manages the ring's configuration.
 */
export async function rotateKeyRing(ctx: KeyContext, say: Say): Promise<void> {
  const { manage } = ctx.keyRing;
  if (manage === undefined)
    throw new Error(
      'This key ring is managed in its configuration. Put the new key first, keep the old one behind it, restart ' +
        'all processes, and then run key-ring rewrap.',
    );
  await withRingLock(ctx.db, async () => {
    say(`The current key is now ${await manage.rotate()}.`);
    await rewrap(ctx, say);
  });
}

/** Rewraps every data key under the current key. Idempotent, also after a failure. */
export async function rewrapKeys(ctx: KeyContext, say: Say): Promise<void> {
  await withRingLock(ctx.db, () => rewrap(ctx, say));
}

/** Removes all keys but the current one. Throws while one of them still wraps a data key. */
export async function pruneKeyRing(ctx: KeyContext, say: Say): Promise<void> {
  await withRingLock(ctx.db, async () => {
    const [current, counts] = [await ctx.keyRing.current(), await counted(ctx)];
    const retired = (await ctx.keyRing.ids()).filter((id) => id !== current);
    const used = retired.filter((id) => counts.has(id));
    if (used.length > 0) {
      const what = used.map((id) => `${id} (${counts.get(id) ?? 0})`).join(', ');
      throw new Error(`Data keys are still wrapped by ${what}. Run key-ring rewrap first.`);
    }
    const { manage } = ctx.keyRing;
    for (const id of retired) {
      if (manage === undefined) say(`${id} wraps nothing anymore. You can remove it from the ring's configuration.`);
      else {
        await manage.remove(id);
        say(`Removed ${id}.`);
      }
    }
    if (retired.length === 0) say('The ring has only its current key.');
  });
}

async function counted({ db }: KeyContext): Promise<Map<string, number>> {
  const counts = await countByRingKey(db.kysely);
  const root = await ringKeyOfRoot(db);
  if (root !== '') counts.set(root, (counts.get(root) ?? 0) + 1);
  return counts;
}

async function rewrap(ctx: KeyContext, say: Say): Promise<void> {
  const { db, keyRing } = ctx;
  const current = await keyRing.current();
  let done = (await rewrapInstallationRoot(db, keyRing, current)) ? 1 : 0;
  let failed = 0;
  let last: StoredKey | undefined;
  for (;;) {
    const rows = await listWrappedOtherwise(db.kysely, current, last, batch);
    for (const row of rows) {
      last = row;
      try {
        await rewrapOne(ctx, row);
        done += 1;
      } catch (error) {
        failed += 1;
        say(`Version ${row.version} of the key of ${row.orgId}: ${messageOf(error)}`);
      }
    }
    if (rows.length < batch) break;
    say(`Rewrapped ${done} keys with ${current}…`);
  }
  say(`Rewrapped ${done} keys with ${current}.`);
  if (failed > 0) throw new Error(`${failed} keys were not rewrapped. Fix the errors above and run it again.`);
}

async function rewrapOne({ db, keyRing }: KeyContext, row: StoredKey): Promise<void> {
  const key = await keyRing.unwrap(row, bindingOf(row));
  try {
    await replaceWrapping(db.kysely, row, await keyRing.wrap(key, bindingOf(row)));
  } finally {
    key.fill(0);
  }
}
