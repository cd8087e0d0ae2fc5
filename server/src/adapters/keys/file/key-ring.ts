import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { WrappingKeys } from '../port.ts';
import {
  checkRing,
  newRingSecret,
  parseJson,
  ringOf,
  unwrapWith,
  wrapWith,
  type RingData,
  type RingFile,
} from '../ring-data.ts';

/**
 * The ring in a file (mode 0600), which the first start makes. The file is looked at before every use, so that all
 * processes see a rotation at once; while it cannot be read, the ring stays what it was. Throws when it is no key ring.
 */
export async function openFileKeyRing(path: string): Promise<WrappingKeys> {
  await createIfMissing(path);
  let seen = await versionOf(path);
  let ring = ringOf(await read(path));

  async function now(): Promise<RingData> {
    const version = await versionOf(path).catch(() => seen);
    if (version === seen) return ring;
    try {
      ring = ringOf(await read(path));
      seen = version;
    } catch {
      // Somebody is just editing it: what was read before still holds.
    }
    return ring;
  }

  return {
    current: async () => (await now()).current,
    ids: async () => [...(await now()).keys.keys()],
    wrap: async (key, binding) => wrapWith(await now(), key, binding),
    unwrap: async (wrapped, binding) => unwrapWith(await now(), wrapped, binding),
    manage: {
      async rotate() {
        const file = await read(path);
        const id = nextId(file.keys.map((key) => key.id));
        await replace(path, { current: id, keys: [...file.keys, { id, secret: newRingSecret() }] });
        return id;
      },
      async remove(id) {
        const file = await read(path);
        if (file.current === id) throw new Error(`${id} is the ring's current key.`);
        await replace(path, { ...file, keys: file.keys.filter((key) => key.id !== id) });
      },
    },
    close() {
      for (const key of ring.keys.values()) key.fill(0);
    },
  };
}

async function versionOf(path: string): Promise<string> {
  const { ino, mtimeNs, size } = await stat(path, { bigint: true });
  return `${ino} ${mtimeNs} ${size}`;
}

async function read(path: string): Promise<RingFile> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    throw new Error(`The key ring ${path} cannot be read. Without it nothing it protects can be opened.`, { cause });
  }
  return checkRing(parseJson(text), `The file ${path}`);
}

function nextId(ids: readonly string[]): string {
  const numbers = ids.map((id) => Number(/^k(\d{1,9})$/.exec(id)?.[1] ?? 0));
  return `k${Math.max(0, ...numbers) + 1}`;
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
  const temporary = await writeTemporary(path, { current: 'k1', keys: [{ id: 'k1', secret: newRingSecret() }] });
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

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
