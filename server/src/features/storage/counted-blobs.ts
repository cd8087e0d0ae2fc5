import { Readable } from 'node:stream';
import type { BlobStore } from '../../adapters/blobs/port.ts';
import type { Database } from '../../db/pool.ts';
import { messageOf } from '../../lib/errors.ts';
import { createBatches } from '../../lib/batches.ts';
import type { Log } from '../../lib/log.ts';
import { storageFull } from './full.ts';
import { blobKinds } from './kinds.ts';
import { addBytes, deleteBytes, readUsed, setBytes, type Stored } from './store.ts';

interface Counting {
  db: Database;
  log: Log;
  /** Infinity for no limit. */
  maxBytes: number;
}

/** Uploads are recorded each time this many bytes arrived. */
const sliceBytes = 4 * 1024 ** 2;

/**
 * Counts the stored bytes of each organization. Uploads are counted while they arrive, and rejected beyond the limit:
 * 402 `budget_exceeded`, and nothing is kept. Results of sessions are always stored, because that work must not be
 * lost; the runs check the total.
 */
export function countedBlobs(blobs: BlobStore, counting: Counting): BlobStore {
  const { db, log } = counting;
  // A checkpoint stores and removes several, and each statement holds the organization's total until it is written.
  const added = createBatches(orgOf, (all: readonly Stored[]) =>
    setBytes(db, [...new Map(all.map((one) => [one.key, one])).values()]),
  );
  const removed = createBatches(orgOf, (all: readonly Pick<Stored, 'key' | 'orgId'>[]) =>
    deleteBytes(
      db,
      all.map(({ key }) => key),
    ),
  );
  /** Counts a blob; the nightly sweep makes up for a failure. */
  const tryTo = async (count: Promise<void>, key: string): Promise<void> => {
    await count.catch((error: unknown) => log.warn({ blob: key, reason: messageOf(error) }, 'cannot count a blob'));
  };
  return {
    ...blobs,
    async put(key, content, options) {
      const owner = ownerOf(key);
      if (owner === undefined) return blobs.put(key, content, options);
      const { orgId, kind } = owner;
      if (kind === 'attachments') return putWithin(blobs, counting, { key, orgId, content, options });
      const stored = await blobs.put(key, content, options);
      await tryTo(added({ key, orgId, bytes: stored.sizeBytes }), key);
      return stored;
    },
    async delete(key) {
      await blobs.delete(key);
      const owner = ownerOf(key);
      if (owner !== undefined) await tryTo(removed({ key, orgId: owner.orgId }), key);
    },
  };
}

function orgOf({ orgId }: Pick<Stored, 'orgId'>): string {
  return orgId;
}

export function ownerOf(key: string): { kind: (typeof blobKinds)[number]; orgId: string } | undefined {
  const [first, orgId = ''] = key.split('/');
  const kind = blobKinds.find((known) => known === first);
  return kind === undefined ? undefined : { kind, orgId };
}

interface Upload {
  key: string;
  orgId: string;
  content: Readable | Uint8Array;
  options: Parameters<BlobStore['put']>[2];
}

async function putWithin(blobs: BlobStore, counting: Counting, { key, orgId, content, options }: Upload) {
  const { db, maxBytes } = counting;
  let isRefused = false;
  async function* counted(): AsyncGenerator<Uint8Array> {
    let slice = 0;
    const count = async (): Promise<void> => {
      isRefused ||= !(await addBytes(db, { key, orgId, bytes: slice }, maxBytes));
      slice = 0;
    };
    for await (const chunk of content instanceof Readable ? content : [content]) {
      const bytes = Buffer.from(chunk);
      slice += bytes.length;
      if (!isRefused && slice >= sliceBytes) await count();
      // A rejected upload is read to its end, so that the client receives the response, but not stored.
      if (!isRefused) yield bytes;
    }
    if (!isRefused) await count();
    if (isRefused) throw new Error('the storage of the organization is full');
  }
  try {
    return await blobs.put(key, Readable.from(counted(), { objectMode: false }), options);
  } catch (error) {
    await deleteBytes(db, [key]);
    throw isRefused ? storageFull(await readUsed(db.kysely, orgId), maxBytes) : error;
  }
}
