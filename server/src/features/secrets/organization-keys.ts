import { randomBytes } from 'node:crypto';
import type { Binding } from '../../adapters/keys/port.ts';
import type { Context } from '../../app/context.ts';
import { insertKey, readKey, replaceWrapping, type StoredKey } from './key-store.ts';

export type KeyContext = Pick<Context, 'db' | 'keyRing'>;

/** A version of an organization's data key, open: 32 bytes, which the caller zeroes. */
interface DataKey {
  readonly version: number;
  readonly key: Buffer;
}

/** The organization's newest data key; its first one is made when it is first needed. */
export async function newestKey(ctx: KeyContext, orgId: string): Promise<DataKey> {
  return opened(ctx, (await readKey(ctx.db.kysely, orgId)) ?? (await addKey(ctx, orgId, 1)));
}

/** A certain version. Throws when there is none. */
export async function keyOfVersion(ctx: KeyContext, orgId: string, version: number): Promise<DataKey> {
  const stored = await readKey(ctx.db.kysely, orgId, version);
  if (stored === undefined) throw new Error(`The organization ${orgId} has no key of version ${version}.`);
  return opened(ctx, stored);
}

/** Makes a new data key, which seals from now on; what older ones sealed stays as it is. Answers its version. */
export async function rotateOrganizationKey(ctx: KeyContext, orgId: string): Promise<number> {
  const version = ((await readKey(ctx.db.kysely, orgId))?.version ?? 0) + 1;
  return (await addKey(ctx, orgId, version)).version;
}

/** What a data key is bound to in the ring. */
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
      // Between the two, the ring may have been rotated, its keys wrapped anew and the old one dropped.
      if ((await keyRing.current()) !== made.ringKey)
        await replaceWrapping(db.kysely, made, await keyRing.wrap(key, bindingOf(made)));
    }
  } finally {
    key.fill(0);
  }
  // Another process may have been first.
  const stored = await readKey(db.kysely, orgId, version);
  if (stored === undefined) throw new Error(`The key of the organization ${orgId} is not where it was just put.`);
  return stored;
}
