import type { Kysely, Transaction } from 'kysely';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { AppError } from '../../lib/errors.ts';
import { storageFull } from './full.ts';
import { readTotals, readUsed } from './store.ts';

/** The share above the limit that running work may use, so that it can finish. */
const workShare = 0.1;

export interface Storage {
  usedBytes: number;
  /** Infinity without a limit. */
  maxBytes: number;
  /** The limit for running work. */
  maxWorkBytes: number;
}

type QuotaContext = Pick<Context, 'config'>;

/** Returns the stored bytes of an organization, and its limits. */
export async function storageOf(
  { config }: QuotaContext,
  db: Kysely<DB> | Transaction<DB>,
  orgId: string,
): Promise<Storage> {
  const maxBytes = maxOf(config);
  return { usedBytes: await readUsed(db, orgId), maxBytes, maxWorkBytes: Math.floor(maxBytes * (1 + workShare)) };
}

export function maxOf({ storageMax }: Context['config']): number {
  return storageMax === 0 ? Infinity : storageMax;
}

/** Throws 402 `budget_exceeded` if the organization's storage is full; returns its usage. */
export async function requireStorage(
  ctx: QuotaContext,
  db: Kysely<DB> | Transaction<DB>,
  orgId: string,
): Promise<Storage> {
  const storage = await storageOf(ctx, db, orgId);
  if (storage.usedBytes >= storage.maxBytes) throw storageFull(storage.usedBytes, storage.maxBytes);
  return storage;
}

/** The same for running work, which may use a tenth more. */
export async function requireStorageForWork(
  ctx: QuotaContext,
  db: Kysely<DB> | Transaction<DB>,
  orgId: string,
): Promise<void> {
  const { usedBytes, maxBytes, maxWorkBytes } = await storageOf(ctx, db, orgId);
  if (usedBytes >= maxWorkBytes) throw storageFull(usedBytes, maxBytes);
}

/** Also for git. Does not reveal the free space, which only concerns the operator. */
export const diskText = 'The server has too little free disk to take this. Tell the operator, or try again later.';

/** Throws 503 `capacity_unavailable` for large requests while this machine has too little free disk. */
export function requireDisk({ disk }: Pick<Context, 'disk'>): void {
  if (disk.problem !== '') throw new AppError('capacity_unavailable', diskText);
}

/** Returns the stored bytes of all organizations, and how many have reached the limit. */
export async function storageTotals({ db, config }: Pick<Context, 'db' | 'config'>) {
  return readTotals(db.kysely, maxOf(config));
}
