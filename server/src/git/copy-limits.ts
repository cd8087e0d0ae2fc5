import { statfs } from 'node:fs/promises';
import { setInterval } from 'node:timers/promises';
import { shownBytes } from '../lib/bytes.ts';
import { ProviderError } from '../lib/errors.ts';
import type { Limits } from '../lib/limits.ts';
import { GitError, saysTooLarge } from './native.ts';

/** Limits for a copy of a remote repository. */
export interface CopyLimits {
  /** For the pack file, in bytes; Infinity for none. */
  mostBytes: number;
  /** The copy is stopped when less than this is free on the disk. */
  leaveBytes: number;
}

/** The disk is almost full, so a copy was stopped. */
export class DiskFull extends ProviderError {
  constructor() {
    super('The disk of the server is almost full, so the copy of the repository was stopped. Tell the operator.', {
      retryable: false,
    });
    this.name = 'DiskFull';
  }
}

/** A repository is larger than a copy may be. Its message says the limit, and what to do. */
export class TooLarge extends GitError {
  constructor(mostBytes: number, { exitCode, stderr }: GitError) {
    const message = `The repository is larger than the ${shownBytes(mostBytes)} that Guildhall copies. Remove large files from its history, or ask the operator for a larger limit (GUILDHALL_CLONE_MAX).`;
    super(message, { retryable: false, exitCode, stderr });
    this.name = 'TooLarge';
  }
}

/** Bytes that may be written before the disk is looked at, so that small updates go on while little of it is free. */
const smallBytes = 64 * 1024 ** 2;
const lookMs = 250;

/**
 * Runs git within limits for a copy on the disk of `directory`, which must exist. A limit taken from the free disk at the
 * start would not hold, because copies run at the same time. Throws {@link TooLarge} and {@link DiskFull}.
 */
export async function withinLimits<T>(
  directory: string,
  { mostBytes, leaveBytes, signal }: CopyLimits & { signal?: AbortSignal | undefined },
  work: (bounds: { signal: AbortSignal; limits: Partial<Limits> }) => Promise<T>,
): Promise<T> {
  const [full, over] = [new AbortController(), new AbortController()];
  const leastBytes = Math.min(leaveBytes, (await freeBytes(directory)) - smallBytes);
  const watching = watch(directory, leastBytes, full, over.signal);
  const limits = mostBytes === Infinity ? {} : { fileBytes: mostBytes };
  try {
    return await work({ signal: AbortSignal.any([full.signal, ...(signal === undefined ? [] : [signal])]), limits });
  } catch (error) {
    throw error instanceof GitError && saysTooLarge(error.stderr) ? new TooLarge(mostBytes, error) : error;
  } finally {
    over.abort();
    await watching;
  }
}

/** Throws {@link DiskFull} if a copy of a known size would leave less on the disk of `directory`. */
export async function requireFree(
  directory: string,
  bytes: number,
  { leaveBytes }: Pick<CopyLimits, 'leaveBytes'>,
): Promise<void> {
  if ((await freeBytes(directory)) - bytes < leaveBytes) throw new DiskFull();
}

async function watch(directory: string, leastBytes: number, full: AbortController, over: AbortSignal): Promise<void> {
  try {
    for await (const _ of setInterval(lookMs, undefined, { signal: over, ref: false }))
      if ((await freeBytes(directory)) < leastBytes) return full.abort(new DiskFull());
  } catch (error) {
    if (!over.aborted) full.abort(error);
  }
}

async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}
