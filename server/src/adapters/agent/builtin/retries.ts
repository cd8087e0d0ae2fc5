import { setTimeout as delay } from 'node:timers/promises';
import type { StepFailure } from './failures.ts';

export interface RetryOptions {
  /** The wait before the first retry, which doubles with each; 1 s by default. */
  retryBaseMs?: number;
  /** The maximum number of attempts of a model step; default 6. */
  maxAttempts?: number;
}

export interface Retries {
  baseMs: number;
  maxAttempts: number;
}

const longestWaitMs = 30_000;

export function createRetries({ retryBaseMs = 1_000, maxAttempts = 6 }: RetryOptions): Retries {
  return { baseMs: retryBaseMs, maxAttempts };
}

/** Returns the wait after failure number `failures` (from 1): as the provider requests, or twice as long each time. */
export function waitMsAfter({ baseMs }: Retries, failures: number, { afterMs }: StepFailure): number {
  const wait = Math.min(baseMs * 2 ** (failures - 1), longestWaitMs);
  // Jitter spreads the retries of sessions that failed together.
  const jittered = wait * (0.75 + Math.random() / 2);
  return Math.max(jittered, afterMs ?? 0);
}

/** Resolves early, and never rejects, when the turn is interrupted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

/** Formats a wait: `2 s`, `0.5 s`. */
export function seconds(ms: number): string {
  return `${ms < 9_950 ? Number((ms / 1_000).toFixed(1)) : Math.round(ms / 1_000)} s`;
}
