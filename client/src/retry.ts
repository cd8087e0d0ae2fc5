import { retryAfterOf } from './api-error.ts';
import { isTimeout, readWhole, sendWithin, type Bounds, type Send } from './bounds.ts';
import { backoffMs, wait } from './wait.ts';

const mostAttempts = 5;
const firstDelayMs = 200;
const mostDelayMs = 5_000;
/** A server that asks for a longer wait is not retried; the caller gets its response. */
const mostRetryAfterSeconds = 30;

/**
 * Retries after a network failure, 429 or 503: GET requests, and POST requests, which get a constant `Idempotency-Key`,
 * so that they take effect once whatever is lost. PUT, PATCH and DELETE are sent once, and so is a request that timed
 * out.
 */
export function withRetries(send: Send, bounds: Bounds): Send {
  return async (request) => {
    if (request.method === 'POST' && !request.headers.has('idempotency-key'))
      request.headers.set('idempotency-key', randomKey());
    const repeatable = request.method === 'GET' || request.method === 'POST';
    for (let failures = 0; ; failures += 1) {
      const isLast = !repeatable || failures + 1 === mostAttempts;
      const outcome = await attempt(send, request, { isLast, failures, bounds });
      if (outcome instanceof Response) return outcome;
      await wait(outcome.delayMs, request.signal);
      request.signal.throwIfAborted();
    }
  };
}

async function attempt(
  send: Send,
  request: Request,
  { isLast, failures, bounds }: { isLast: boolean; failures: number; bounds: Bounds },
): Promise<Response | { delayMs: number }> {
  const delayMs = backoffMs(failures, firstDelayMs, mostDelayMs);
  let response: Response;
  try {
    const copy = isLast ? request : request.clone();
    response = await sendWithin(send, request, { copy, timeoutMs: bounds.timeoutMs });
    if (response.status === 409) response = await readWhole(response, request, bounds);
  } catch (error) {
    if (isLast || request.signal.aborted || isTimeout(error)) throw error;
    return { delayMs };
  }
  const retryAfter = retryAfterOf(response) ?? 0;
  if (isLast || retryAfter > mostRetryAfterSeconds || !(await isPassing(response, failures > 0))) return response;
  // The response is discarded, and may never arrive.
  void response.body?.cancel().catch(() => undefined);
  return { delayMs: Math.max(delayMs, retryAfter * 1_000) };
}

async function isPassing(response: Response, isRepeated: boolean): Promise<boolean> {
  if (response.status === 429 || response.status === 503) return true;
  // The attempt whose response was lost is still running; a later retry gets its response.
  return isRepeated && response.status === 409 && (await response.clone().text()).includes('"idempotency_in_progress"');
}

/** Returns a random key without crypto.randomUUID, which browsers offer over HTTPS only. */
function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
