import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFile } from '../../lib/file-lock.ts';
import { messageOf, ProviderError } from '../../lib/errors.ts';

/**
 * Ownership of names in a directory that several workers of one host share. Each owner holds a kernel lock on a file of its
 * own for its lifetime, and a claim is a file that names its owner. The kernel thus knows if a claim is valid: a reused
 * process id does not matter, and a crash frees everything.
 */
export interface Owner {
  /** Claims `name` in `directory`, with a note for a later clean-up. Returns false if a living owner holds it. */
  claim(directory: string, name: string, note: unknown): Promise<boolean>;
  release(directory: string, name: string): Promise<void>;
  /** Takes over all claims of dead owners in `directory`. The caller cleans up their resources, then releases them. */
  adopt(directory: string): Promise<{ name: string; note: unknown }[]>;
}

interface Claim {
  owner: string;
  note: unknown;
}

const takeoverWithinMs = 10_000;

/** Registers this process as an owner. Its lock file stays in `directory` until another owner finds it dead. */
export async function becomeOwner(directory: string): Promise<Owner> {
  const token = randomUUID();
  const named = join(directory, token);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  // Locked before it gets its visible name, so that nobody considers it a dead owner's.
  const unnamed = join(directory, `.${token}`);
  await lockFile(unnamed);
  await rename(unnamed, named);
  const claimOf = (note: unknown) => JSON.stringify({ owner: named, note });

  async function claim(claims: string, name: string, note: unknown): Promise<boolean> {
    const path = join(claims, name);
    await mkdir(claims, { recursive: true, mode: 0o700 });
    const mine = join(claims, `.${randomUUID()}`);
    await writeFile(mine, claimOf(note));
    try {
      for (;;) {
        try {
          await link(mine, path);
          return true;
        } catch (error) {
          if (!hasErrorCode(error, 'EEXIST')) throw error;
        }
        const taken = await takeOver(path, mine);
        if (taken !== undefined) return taken;
      }
    } finally {
      await rm(mine, { force: true });
    }
  }

  async function adopt(claims: string): Promise<{ name: string; note: unknown }[]> {
    const adopted: { name: string; note: unknown }[] = [];
    // One question per owner, which takes a process: a host with many sandboxes has few workers.
    const alive = new Map([[named, true]]);
    for (const name of await listNames(claims)) {
      const held = await readClaim(join(claims, name));
      if (held === undefined) continue;
      const lives = alive.get(held.owner) ?? (await isAlive(held.owner));
      alive.set(held.owner, lives);
      if (lives) continue;
      if (await claim(claims, name, held.note)) adopted.push({ name, note: held.note });
    }
    await removeDeadOwners(directory, named);
    return adopted;
  }

  return { claim, adopt, release: (claims, name) => rm(join(claims, name), { force: true }) };
}

/**
 * Replaces the claim of a dead owner by `mine`, in one step: a crash between two would leave what it claimed to nobody. Returns
 * false if its owner lives, undefined if there is no claim any more.
 */
async function takeOver(path: string, mine: string): Promise<boolean | undefined> {
  const seen = await readClaim(path);
  if (seen === undefined) return undefined;
  if (await isAlive(seen.owner)) return false;
  // One at a time, so that nobody replaces a new claim that replaced a dead one.
  const lock = await lockFile(join(path, '..', '.takeover'), { timeoutMs: takeoverWithinMs });
  try {
    const now = await readClaim(path);
    if (now === undefined) return undefined;
    if (await isAlive(now.owner)) return false;
    await rename(mine, path);
    return true;
  } finally {
    await lock.release();
  }
}

async function readClaim(path: string): Promise<Claim | undefined> {
  let content: string;
  try {
    content = await readFile(path, 'utf8');
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  try {
    const value: unknown = JSON.parse(content);
    if (typeof value === 'object' && value !== null && 'owner' in value && typeof value.owner === 'string') {
      return { owner: value.owner, note: 'note' in value ? value.note : undefined };
    }
  } catch (error) {
    throw new ProviderError(`${path} is not a claim: ${messageOf(error)}`, { retryable: false });
  }
  return { owner: '', note: undefined };
}

/** Returns true if the owner of a lock file lives. Tries a shared lock: two who ask at once do not exclude each other. */
async function isAlive(path: string): Promise<boolean> {
  if (!existsSync(path)) return false;
  const lock = await lockFile(path, { shared: true }).catch(() => undefined);
  await lock?.release();
  return lock === undefined;
}

async function removeDeadOwners(directory: string, own: string): Promise<void> {
  for (const name of await listNames(directory)) {
    const path = join(directory, name);
    if (path !== own && !(await isAlive(path))) await rm(path, { force: true });
  }
}

/** Lists names, without those being created, which begin with a dot. */
async function listNames(directory: string): Promise<string[]> {
  try {
    const names = await readdir(directory);
    return names.filter((name) => !name.startsWith('.'));
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return [];
    throw error;
  }
}

export function hasErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
