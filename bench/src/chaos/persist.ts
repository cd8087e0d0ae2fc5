import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '@guildhall/client';

const patienceMs = 120_000;
const pauseMs = 300;

/**
 * Repeats a request until the API responds, with the same `Idempotency-Key`, so that it takes effect once whatever
 * response was lost. Throws the API's refusal, and after two minutes any other failure.
 */
export async function persist<T>(
  call: (headers: { 'idempotency-key': string }) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const headers = { 'idempotency-key': randomUUID() };
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return await call(headers);
    } catch (error) {
      signal.throwIfAborted();
      if ((error instanceof ApiError && !isPassing(error)) || performance.now() > deadline) throw error;
    }
    await delay(pauseMs, undefined, { signal });
  }
}

function isPassing({ status, code }: ApiError): boolean {
  return status === 429 || status >= 500 || code === 'idempotency_in_progress';
}
