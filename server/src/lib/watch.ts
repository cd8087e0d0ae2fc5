import { AppError } from './errors.ts';

/** Watches if a caller still has access. */
export interface Watch {
  readonly leave: () => void;
  /** Resolves when all notifications so far have been handled. */
  readonly settled: () => Promise<void>;
}

/**
 * Waits until all have looked. Throws 503 `capacity_unavailable` if `ended` was aborted by one of them: access was withdrawn
 * since the request was admitted, or cannot be checked. The client's next request says which.
 */
export async function requireRights(watches: readonly Watch[], ended: AbortSignal): Promise<void> {
  await Promise.all(watches.map(({ settled }) => settled()));
  if (ended.aborted)
    throw new AppError(
      'capacity_unavailable',
      'The server cannot check at the moment if you may follow this. Try again in a few seconds.',
      { retry_after_seconds: 2 },
    );
}
