import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '../../../lib/errors.ts';
import type { WrappingKeys } from '../port.ts';
import { newRingSecret, unwrapWith, wrapWith, type RingFile } from '../ring-data.ts';
import { watchRing, type WatchOptions } from './watched-ring.ts';

/**
 * Opens the ring in a file (mode 0600), which the first start creates. The file is checked before every use, so that all
 * processes see a rotation at once. A changed file is accepted if it passes `check`; otherwise, and while the file is
 * unreadable, the old ring remains, and the log has the reason. Throws for an invalid key ring.
 */
export async function openFileKeyRing(path: string, options: WatchOptions): Promise<WrappingKeys> {
  await createIfMissing(path);
  const { now, readChecked, forget } = await watchRing(path, options);
  return {
    current: async () => (await now()).current,
    ids: async () => [...(await now()).keys.keys()],
    wrap: async (key, binding) => wrapWith(await now(), key, binding),
    unwrap: async (wrapped, binding) => unwrapWith(await now(), wrapped, binding),
    manage: {
      async rotate() {
        const { ring } = await readChecked();
        const id = nextId(ring.keys.map((key) => key.id));
        await replace(path, { current: id, keys: [...ring.keys, { id, secret: newRingSecret() }] });
        return id;
      },
      async remove(id) {
        const { ring } = await readChecked();
        if (ring.current === id) throw new Error(`${id} is the ring's current key.`);
        await replace(path, { ...ring, keys: ring.keys.filter((key) => key.id !== id) });
      },
    },
    close: forget,
  };
}

/** Creates a key's id: numbered for readability, with a random part that distinguishes rings. */
function createId(number: number): string {
  return `k${number}-${randomBytes(3).toString('hex')}`;
}

function nextId(ids: readonly string[]): string {
  const numbers = ids.map((id) => Number(/^k(\d{1,9})(?:-|$)/.exec(id)?.[1] ?? 0));
  return createId(Math.max(0, ...numbers) + 1);
}

/** Writes and syncs the new ring before it replaces the old one. */
async function replace(path: string, ring: RingFile): Promise<void> {
  const temporary = await writeTemporary(path, ring);
  await rename(temporary, path);
  const directory = await open(dirname(path), 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Creates the file atomically with a hard link, which only one of several starting processes can win. */
async function createIfMissing(path: string): Promise<void> {
  try {
    await stat(path);
    return;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  await mkdir(dirname(path), { recursive: true });
  const id = createId(1);
  const temporary = await writeTemporary(path, { current: id, keys: [{ id, secret: newRingSecret() }] });
  try {
    await link(temporary, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function writeTemporary(path: string, ring: RingFile): Promise<string> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(ring, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  return temporary;
}
