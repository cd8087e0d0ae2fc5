import type { Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';
import type { Context } from '../../app/context.ts';
import { ownerOf } from './counted-blobs.ts';
import { storageFull } from './full.ts';
import { blobKinds } from './kinds.ts';
import { maxOf } from './quota-service.ts';
import { addBytes, deleteBytes, listStored, readUsed, setBytes, setBytesIn, type Stored } from './store.ts';

type LedgerContext = Pick<Context, 'db' | 'config'>;
type SweepContext = Pick<Context, 'db' | 'clock' | 'blobs'>;

/** Blobs that were counted more recently may still be changing. */
const settledMs = 24 * 3_600_000;
const batchSize = 500;

/** Counts a new repository. Throws 402 `budget_exceeded` if its organization's storage is full. */
export async function countNewRepository(ctx: LedgerContext, orgId: string, id: string, bytes: number): Promise<void> {
  const maxBytes = maxOf(ctx.config);
  if (await addBytes(ctx.db, { key: keyOf(orgId, id), orgId, bytes }, maxBytes)) return;
  throw storageFull(await readUsed(ctx.db.kysely, orgId), maxBytes);
}

/** Records the current size of a repository. */
export async function countRepository(
  ctx: Pick<Context, 'db'>,
  orgId: string,
  id: string,
  bytes: number,
): Promise<void> {
  await setBytes(ctx.db, [{ key: keyOf(orgId, id), orgId, bytes }]);
}

/** Records the current size of a repository's wiki. */
export async function countWiki(trx: Transaction<DB>, orgId: string, id: string, bytes: number): Promise<void> {
  await setBytesIn(trx, { key: wikiKeyOf(orgId, id), orgId, bytes });
}

/** Deletes the counts of a repository and its wiki. */
export async function deleteRepositoryBytes(ctx: Pick<Context, 'db'>, orgId: string, id: string): Promise<void> {
  await deleteBytes(ctx.db, [keyOf(orgId, id), wikiKeyOf(orgId, id)]);
}

function wikiKeyOf(orgId: string, id: string): string {
  return `wikis/${orgId}/${id}`;
}

function keyOf(orgId: string, id: string): string {
  return `repositories/${orgId}/${id}`;
}

/** Compares the counts with the blob store, and corrects what crashes, outages and earlier versions left uncounted. */
export async function sweepLedger(ctx: SweepContext): Promise<void> {
  const before = new Date(ctx.clock.now().getTime() - settledMs);
  for (const kind of blobKinds) {
    const counted = storedIn(ctx, `${kind}/`);
    let row = await counted.next();
    let wrong: Stored[] = [];
    let gone: string[] = [];
    const settle = async (atLeast: number): Promise<void> => {
      if (wrong.length >= atLeast) wrong = await setBytes(ctx.db, wrong).then(() => []);
      if (gone.length >= atLeast) gone = await deleteBytes(ctx.db, gone, before).then(() => []);
    };
    for await (const { key, sizeBytes } of ctx.blobs.list(`${kind}/`)) {
      for (; row.done !== true && row.value.key < key; row = await counted.next()) gone.push(row.value.key);
      const known = row.done !== true && row.value.key === key ? row.value.size_bytes : undefined;
      const orgId = ownerOf(key)?.orgId ?? '';
      if (known !== sizeBytes) wrong.push({ key, orgId, bytes: sizeBytes });
      if (known !== undefined) row = await counted.next();
      await settle(batchSize);
    }
    for (; row.done !== true; row = await counted.next()) gone.push(row.value.key);
    await settle(1);
  }
}

async function* storedIn(ctx: SweepContext, prefix: string) {
  for (let after = ''; ;) {
    const rows = await listStored(ctx.db, prefix, after, batchSize);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < batchSize) return;
    after = last.key;
  }
}
