import type { Kysely, Transaction } from 'kysely';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { AppError } from '../../lib/errors.ts';
import { storageFull } from './full.ts';
import { readTotals, readUsed } from './store.ts';

/** So much more than its files the work of an organization may take, so that what is under way comes to its end. */
const workShare = 0.1;

export interface Storage {
  usedBytes: number;
  /** Infinity where there is no limit. */
  maxBytes: number;
  /** What work that is under way may fill. */
  maxWorkBytes: number;
}

type QuotaContext = Pick<Context, 'config'>;

/** What an organization keeps in blobs and repositories, and may keep. */
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

/** Refuses what would keep more where an organization keeps all that it may: 402 `budget_exceeded`; answers what it keeps. */
export async function requireStorage(
  ctx: QuotaContext,
  db: Kysely<DB> | Transaction<DB>,
  orgId: string,
): Promise<Storage> {
  const storage = await storageOf(ctx, db, orgId);
  if (storage.usedBytes >= storage.maxBytes) throw storageFull(storage.usedBytes, storage.maxBytes);
  return storage;
}

/** The same for work that was begun before, which may take a tenth more. */
export async function requireStorageForWork(
  ctx: QuotaContext,
  db: Kysely<DB> | Transaction<DB>,
  orgId: string,
): Promise<void> {
  const { usedBytes, maxBytes, maxWorkBytes } = await storageOf(ctx, db, orgId);
  if (usedBytes >= maxWorkBytes) throw storageFull(usedBytes, maxBytes);
}

/** For git as well. Where how much is free is the operator's to know. */
export const diskText = 'The server has too little free disk to take this. Tell the operator, or try again later.';

/** Refuses what is large while this machine has too little free disk: 503 `capacity_unavailable`. */
export function requireDisk({ disk }: Pick<Context, 'disk'>): void {
  if (disk.problem !== '') throw new AppError('capacity_unavailable', diskText);
}

/** Bytes that all organizations keep, and how many keep all that they may. */
export async function storageTotals({ db, config }: Pick<Context, 'db' | 'config'>) {
  return readTotals(db.kysely, maxOf(config));
}
