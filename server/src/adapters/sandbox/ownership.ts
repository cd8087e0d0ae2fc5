import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFile } from '../../lib/file-lock.ts';
import { messageOf, ProviderError } from '../../lib/errors.ts';

/**
 * Who owns what below a directory that several workers of one host share. Every owner holds a kernel lock on a file of
 * its own for as long as it lives, and a claim is a file that names its owner: whether a claim still counts is asked of
 * the kernel, so a reused process id fools nobody and a crash frees everything.
 */
export interface Owner {
  /** Claims `name` in `directory`, with a note for whoever has to clean up. False when a living owner holds it. */
  claim(directory: string, name: string, note: unknown): Promise<boolean>;
  release(directory: string, name: string): Promise<void>;
  /** Takes over every claim in `directory` whose owner is dead. The caller cleans up what it stood for, then releases. */
  adopt(directory: string): Promise<{ name: string; note: unknown }[]>;
}

interface Claim {
  owner: string;
  note: unknown;
}

const takeoverWithinMs = 10_000;

/** Registers this process as an owner; its lock file lies in `directory` until another owner finds it dead. */
export async function becomeOwner(directory: string): Promise<Owner> {
  const token = randomUUID();
  const named = join(directory, token);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  // Locked before it gets the name that others look at, so nobody takes it for a dead owner's.
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
          if (!hasCode(error, 'EEXIST')) throw error;
        }
        if (!(await removeIfDead(path))) return false;
      }
    } finally {
      await rm(mine, { force: true });
    }
  }

  async function adopt(claims: string): Promise<{ name: string; note: unknown }[]> {
    const adopted: { name: string; note: unknown }[] = [];
    for (const name of await listNames(claims)) {
      const held = await readClaim(join(claims, name));
      if (held === undefined || (await isAlive(held.owner))) continue;
      if (await claim(claims, name, held.note)) adopted.push({ name, note: held.note });
    }
    await removeDeadOwners(directory, named);
    return adopted;
  }

  return { claim, adopt, release: (claims, name) => rm(join(claims, name), { force: true }) };
}

/** Removes a claim of a dead owner. False when its owner lives. */
async function removeIfDead(path: string): Promise<boolean> {
  const seen = await readClaim(path);
  if (seen === undefined) return true;
  if (await isAlive(seen.owner)) return false;
  // One at a time: whoever finds a claim dead must not remove the one that another has put in its place meanwhile.
  const lock = await lockFile(join(path, '..', '.takeover'), { timeoutMs: takeoverWithinMs });
  try {
    const now = await readClaim(path);
    if (now !== undefined && (await isAlive(now.owner))) return false;
    await rm(path, { force: true });
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
    if (hasCode(error, 'ENOENT')) return undefined;
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

/** Finished names only: those in the making begin with a dot. */
async function listNames(directory: string): Promise<string[]> {
  try {
    const names = await readdir(directory);
    return names.filter((name) => !name.startsWith('.'));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
