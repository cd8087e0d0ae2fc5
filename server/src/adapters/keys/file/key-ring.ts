import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '../../../lib/errors.ts';
import type { WrappingKeys } from '../port.ts';
import { newRingSecret, unwrapWith, wrapWith, type RingFile } from '../ring-data.ts';
import { watchRing, type WatchOptions } from './watched-ring.ts';

/**
 * The ring in a file (mode 0600), which the first start makes. The file is looked at before every use, so that all
 * processes see a rotation at once. What is put in its place is taken when it passes `check`; otherwise, and while the file
 * cannot be read, the ring stays what it was, and the log says why. Throws when it is no key ring.
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

/** Numbered for people, and otherwise of this ring alone, so that a foreign ring is told by name. */
function idOf(number: number): string {
  return `k${number}-${randomBytes(3).toString('hex')}`;
}

function nextId(ids: readonly string[]): string {
  const numbers = ids.map((id) => Number(/^k(\d{1,9})(?:-|$)/.exec(id)?.[1] ?? 0));
  return idOf(Math.max(0, ...numbers) + 1);
}

/** The new ring is on disk, whole, before it takes the old one's place. */
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

/** Two processes may start at once: the file appears whole, by a link that only the first one wins. */
async function createIfMissing(path: string): Promise<void> {
  try {
    await stat(path);
    return;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  await mkdir(dirname(path), { recursive: true });
  const id = idOf(1);
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
