import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobStore } from '../adapters/blobs/port.ts';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/values.ts';
import { markOfStorage } from '../db/storage-marks.ts';
import type { Database } from '../db/pool.ts';

/** The storage that processes share, including the mark of their installation. */
interface Storage {
  setting: string;
  value: string;
  read(): Promise<string | undefined>;
  write(mark: string): Promise<void>;
}

const blobKey = 'health/installation';

/**
 * Checks that the blobs, and if this process serves them the repositories, are those of the other processes on this
 * database: the first process marks them, every other one compares. Throws {@link ConfigError} with the setting's name.
 */
export async function checkSharedStorage(config: Config, db: Database, blobs: BlobStore): Promise<void> {
  await checkStorage(db, {
    setting: 'GUILDHALL_BLOBS',
    value: config.blobs,
    read: async () => (await blobs.getBuffer(blobKey, { maxBytes: 1_000 }))?.toString('utf8'),
    write: async (mark) => void (await blobs.put(blobKey, Buffer.from(mark))),
  });
  if (config.role === 'worker') return;
  const file = join(config.repositories, '.installation');
  await checkStorage(db, {
    setting: 'GUILDHALL_REPOSITORIES',
    value: config.repositories,
    read: () => readFile(file, 'utf8').catch(() => undefined),
    write: (mark) => writeFile(file, mark, { mode: 0o600 }),
  });
}

async function checkStorage(db: Database, { setting, value, read, write }: Storage): Promise<void> {
  const known = await markOfStorage(db, setting, write);
  if ((await read()) === known) return;
  throw new ConfigError(
    `${setting} is ${JSON.stringify(value)}, which is not what the other processes of this database use. Give all of them the same; if it was moved, take its files along, the mark among them.`,
  );
}
