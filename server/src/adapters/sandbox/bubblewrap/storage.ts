import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ProviderError } from '../../../lib/errors.ts';
import { hasErrorCode } from '../ownership.ts';
import { prepareImage } from './disk.ts';
import { copyLayer, layerOwner } from './layer.ts';
import type { MountScript } from './mount-script.ts';

/** Record of a sandbox's storage in its directory; only the user changes later. */
export interface StorageRecord {
  disk: 'image' | 'directory';
  layer: { path: string; how: 'overlay' | 'copy' } | undefined;
  /** The host user who owns the files; undefined for the worker's own user. */
  uid: number | undefined;
}

/** Paths of a sandbox's files in the namespace in which bwrap starts. */
export interface Storage {
  workspace: string;
  home: string;
  /** The directory to measure if no image limits the disk. */
  measured: string | undefined;
}

const recordName = 'sandbox.json';
const parts = ['workspace', 'home'] as const;

export async function readRecord(directory: string): Promise<StorageRecord | undefined> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(join(directory, recordName), 'utf8'));
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined;
    throw new ProviderError(`${join(directory, recordName)} cannot be read`, { retryable: false, cause: error });
  }
  if (typeof value !== 'object' || value === null || !('disk' in value)) return undefined;
  const layer = 'layer' in value && typeof value.layer === 'object' && value.layer !== null ? value.layer : {};
  return {
    disk: value.disk === 'image' ? 'image' : 'directory',
    uid: 'uid' in value && typeof value.uid === 'number' ? value.uid : undefined,
    layer:
      'path' in layer && typeof layer.path === 'string' && 'how' in layer
        ? { path: layer.path, how: layer.how === 'overlay' ? 'overlay' : 'copy' }
        : undefined,
  };
}

export async function writeRecord(directory: string, record: StorageRecord): Promise<void> {
  const path = join(directory, recordName);
  await writeFile(`${path}.new`, JSON.stringify(record));
  await rename(`${path}.new`, path);
}

/** For root: mounts the disk, with the files of an earlier run if there are any. */
export async function mountStorage(
  mounts: MountScript,
  directory: string,
  record: StorageRecord & { uid: number },
  options: { diskMb: number; formerUid: number | undefined; signal: AbortSignal | undefined },
): Promise<Storage> {
  const { uid, layer } = record;
  let disk: string;
  let measured: string | undefined;
  if (record.disk === 'image') {
    const image = join(directory, 'disk.img');
    await prepareImage(image, options.diskMb, options.signal);
    disk = mounts.mountImage(image);
  } else {
    measured = join(directory, 'disk');
    await mkdir(measured, { recursive: true });
    // The sandbox's user reaches it through the mount; on the host its parent directory is closed.
    await chmod(measured, 0o755);
    disk = mounts.expose(measured);
  }
  const names = layer?.how === 'overlay' ? parts.flatMap((part) => [`upper-${part}`, `work-${part}`]) : [...parts];
  const paths = names.map((name) => join(disk, name));
  if (options.formerUid !== undefined && options.formerUid !== uid) mounts.changeOwner(paths, uid);
  if (layer?.how === 'overlay') {
    const from = await layerOwner(layer.path);
    const lower = (part: string) => ({ path: join(layer.path, part), from });
    return {
      workspace: mounts.mountOverlay(lower('workspace'), disk, 'workspace', uid),
      home: mounts.mountOverlay(lower('home'), disk, 'home', uid),
      measured,
    };
  }
  if (layer !== undefined) mounts.copyLayer(layer.path, disk, uid);
  mounts.createOwned(paths, uid);
  return { workspace: join(disk, 'workspace'), home: join(disk, 'home'), measured };
}

/** For an ordinary user: two directories owned by the worker. */
export async function createStorage(directory: string, layer: StorageRecord['layer']): Promise<Storage> {
  const disk = join(directory, 'disk');
  if (!existsSync(disk)) {
    const fresh = `${disk}.new`;
    await rm(fresh, { recursive: true, force: true });
    await mkdir(fresh, { recursive: true, mode: 0o700 });
    if (layer === undefined) for (const part of parts) await mkdir(join(fresh, part), { mode: 0o755 });
    else await copyLayer(layer.path, fresh);
    await rename(fresh, disk);
  }
  await chmod(disk, 0o700);
  return { workspace: join(disk, 'workspace'), home: join(disk, 'home'), measured: disk };
}
