import { randomBytes } from 'node:crypto';
import type { Binding, KeyRing } from '../../adapters/keys/port.ts';
import type { Database } from '../../db/pool.ts';
import { insertKey, readKey, replaceWrapping, type StoredKey } from './key-store.ts';

export interface KeyContext {
  readonly db: Database;
  readonly keyRing: KeyRing;
}

/** A version of an organization's data key in plain text: 32 bytes, which the caller zeroes. */
interface DataKey {
  readonly version: number;
  readonly key: Buffer;
}

/** Returns the organization's newest data key; creates the first one on demand. */
export async function newestKey(ctx: KeyContext, orgId: string): Promise<DataKey> {
  return opened(ctx, (await readKey(ctx.db.kysely, orgId)) ?? (await addKey(ctx, orgId, 1)));
}

/** Returns one version. Throws if it does not exist. */
export async function keyOfVersion(ctx: KeyContext, orgId: string, version: number): Promise<DataKey> {
  const stored = await readKey(ctx.db.kysely, orgId, version);
  if (stored === undefined)
    throw new Error(`Version ${version} of the data key of organization ${orgId} does not exist.`);
  return opened(ctx, stored);
}

/** Creates a new data key for all further sealing; existing data keeps its version. Returns the new version. */
export async function rotateOrganizationKey(ctx: KeyContext, orgId: string): Promise<number> {
  const version = ((await readKey(ctx.db.kysely, orgId))?.version ?? 0) + 1;
  return (await addKey(ctx, orgId, version)).version;
}

/** Returns the context that binds a data key to its organization and version in the ring. */
export function bindingOf({ orgId, version }: { orgId: string; version: number }): Binding {
  return { organization: orgId, version: String(version) };
}

async function opened({ keyRing }: KeyContext, stored: StoredKey): Promise<DataKey> {
  return { version: stored.version, key: await keyRing.unwrap(stored, bindingOf(stored)) };
}

async function addKey({ db, keyRing }: KeyContext, orgId: string, version: number): Promise<StoredKey> {
  const key = randomBytes(32);
  try {
    const wrapped = await keyRing.wrap(key, bindingOf({ orgId, version }));
    const made = { orgId, version, ...wrapped };
    if (await insertKey(db.kysely, made)) {
      // In between, the ring may have been rotated, its keys rewrapped and the old one removed.
      if ((await keyRing.current()) !== made.ringKey)
        await replaceWrapping(db.kysely, made, await keyRing.wrap(key, bindingOf(made)));
    }
  } finally {
    key.fill(0);
  }
  // Another process may have created it first.
  const stored = await readKey(db.kysely, orgId, version);
  if (stored === undefined)
    throw new Error(`The new data key of organization ${orgId} was stored but cannot be read back.`);
  return stored;
}
