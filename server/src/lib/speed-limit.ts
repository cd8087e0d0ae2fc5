import { setTimeout as delay } from 'node:timers/promises';

/**
 * Creates a limit for what somebody else can repeat at will. Its function resolves at once for the first `burst` calls, and then
 * `perSecond` times a second.
 */
export function createSpeedLimit({ perSecond, burst }: { perSecond: number; burst: number }): () => Promise<void> {
  const intervalMs = 1_000 / perSecond;
  let dueMs = 0;
  return async () => {
    const nowMs = performance.now();
    dueMs = Math.max(dueMs, nowMs) + intervalMs;
    const waitMs = dueMs - nowMs - burst * intervalMs;
    if (waitMs > 0) await delay(waitMs, undefined, { ref: false });
  };
}
