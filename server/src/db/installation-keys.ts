import { randomBytes } from 'node:crypto';
import type { Database } from './pool.ts';

/** Wraps the installation's keys. Implemented by `adapters/keys`, which this folder must not import. */
interface Wrapper {
  wrap(key: Buffer, binding: Record<string, string>): Promise<{ ringKey: string; wrapped: Buffer }>;
  unwrap(wrapped: { ringKey: string; wrapped: Buffer }, binding: Record<string, string>): Promise<Buffer>;
}

const binding = { installation: 'root' };

/** The 32 bytes that all derived keys of the installation come from; the first process makes them. */
export async function installationRoot(db: Database, keys: Wrapper): Promise<Buffer> {
  const known = await read(db);
  if (known !== undefined) return keys.unwrap(known, binding);
  const { ringKey, wrapped } = await keys.wrap(randomBytes(32), binding);
  await db.kysely
    .insertInto('installation_keys')
    .values({ name: 'root', ring_key: ringKey, wrapped })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  // Another process may have been first.
  const made = await read(db);
  if (made === undefined) throw new Error('The root key is not where it was just put.');
  return keys.unwrap(made, binding);
}

/** Wraps the root by the ring's current key. Answers whether another one had wrapped it. */
export async function rewrapInstallationRoot(db: Database, keys: Wrapper, current: string): Promise<boolean> {
  const known = await read(db);
  if (known === undefined || known.ringKey === current) return false;
  const root = await keys.unwrap(known, binding);
  const { ringKey, wrapped } = await keys.wrap(root, binding);
  root.fill(0);
  const query = db.kysely.updateTable('installation_keys').set({ ring_key: ringKey, wrapped });
  await query.where('name', '=', 'root').where('wrapped', '=', known.wrapped).execute();
  return true;
}

/** The ring's key that the root is wrapped by; `''` before the first start. */
export async function ringKeyOfRoot(db: Database): Promise<string> {
  return (await read(db))?.ringKey ?? '';
}

async function read(db: Database): Promise<{ ringKey: string; wrapped: Buffer } | undefined> {
  const query = db.kysely.selectFrom('installation_keys').select(['ring_key', 'wrapped']).where('name', '=', 'root');
  const row = await query.executeTakeFirst();
  return row === undefined ? undefined : { ringKey: row.ring_key, wrapped: row.wrapped };
}
