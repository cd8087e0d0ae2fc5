import { hkdfSync, randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { KeyRing } from '../port.ts';

const RingFile = Type.Object({
  current: Type.String({ minLength: 1 }),
  keys: Type.Array(Type.Object({ id: Type.String(), secret: Type.String({ minLength: 43 }) }), { minItems: 1 }),
});

/** Opens the ring in a file (mode 0600), making it at the first start. Throws when the file is not a key ring. */
export async function openFileKeyRing(path: string): Promise<KeyRing> {
  await createIfMissing(path);
  let ring: unknown;
  try {
    ring = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new Error(`The key ring ${path} cannot be read. Without it nothing it protects can be opened.`, {
      cause: error,
    });
  }
  if (!Value.Check(RingFile, ring)) throw new Error(`The file ${path} is not a key ring.`);
  const { current, keys } = ring;
  const root = keys.find((key) => key.id === current);
  if (root === undefined) throw new Error(`The key ring ${path} has no key called ${JSON.stringify(current)}.`);
  const secret = Buffer.from(root.secret, 'base64url');
  return { derive: (purpose) => Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), `guildhall ${purpose}`, 32)) };
}

/** Two processes may start at once: the file appears whole, by a link that only the first one wins. */
async function createIfMissing(path: string): Promise<void> {
  try {
    await readFile(path);
    return;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  await mkdir(dirname(path), { recursive: true });
  const ring = { current: 'k1', keys: [{ id: 'k1', secret: randomBytes(32).toString('base64url') }] };
  const temporary = `${path}.${process.pid}.tmp`;
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(ring, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await link(temporary, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}
