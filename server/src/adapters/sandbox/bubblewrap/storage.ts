import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ProviderError } from '../../../lib/errors.ts';
import { hasCode } from '../ownership.ts';
import { prepareImage } from './disk.ts';
import { copyLayer, layerOwner } from './layer.ts';
import type { Stage } from './stage.ts';

/** The record of a sandbox's files in its directory; written once, except for the user. */
export interface StorageRecord {
  disk: 'image' | 'directory';
  layer: { path: string; how: 'overlay' | 'copy' } | undefined;
  /** The host user that the files belong to; undefined when they are the worker's own. */
  uid: number | undefined;
}

/** The files of a sandbox as the namespace that bwrap starts in sees them. */
export interface Storage {
  workspace: string;
  home: string;
  /** The directory to measure where no image limits the disk. */
  measured: string | undefined;
}

const recordName = 'sandbox.json';
const parts = ['workspace', 'home'] as const;

export async function readRecord(directory: string): Promise<StorageRecord | undefined> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(join(directory, recordName), 'utf8'));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
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

/** For root: puts the disk on the stage, and on it the files, those of an earlier run if there are any. */
export async function stageStorage(
  stage: Stage,
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
    disk = stage.image(image);
  } else {
    measured = join(directory, 'disk');
    await mkdir(measured, { recursive: true });
    // The sandbox's user passes it on the stage; on the host the directory above is closed.
    await chmod(measured, 0o755);
    disk = stage.reach(measured);
  }
  const names = layer?.how === 'overlay' ? parts.flatMap((part) => [`upper-${part}`, `work-${part}`]) : [...parts];
  const paths = names.map((name) => join(disk, name));
  if (options.formerUid !== undefined && options.formerUid !== uid) stage.give(paths, uid);
  if (layer?.how === 'overlay') {
    const from = await layerOwner(layer.path);
    const lower = (part: string) => ({ path: join(layer.path, part), from });
    return {
      workspace: stage.overlay(lower('workspace'), disk, 'workspace', uid),
      home: stage.overlay(lower('home'), disk, 'home', uid),
      measured,
    };
  }
  if (layer !== undefined) stage.copyLayer(layer.path, disk, uid);
  stage.own(paths, uid);
  return { workspace: join(disk, 'workspace'), home: join(disk, 'home'), measured };
}

/** For an ordinary user: two directories of the worker's own. */
export async function plainStorage(directory: string, layer: StorageRecord['layer']): Promise<Storage> {
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
