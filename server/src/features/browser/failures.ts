import { WorkerCallFailed } from '../../jobs/worker-calls.ts';
import { AppError } from '../../lib/errors.ts';

/** What a call that got no answer means here; every other error is what it was. */
export function failureOf(error: unknown, { whileOpening }: { whileOpening: boolean }): unknown {
  if (!(error instanceof WorkerCallFailed)) return error;
  if (whileOpening) return new AppError('capacity_unavailable', 'The worker could not start a browser. Try again.');
  if (error.reason === 'timeout') return new AppError('navigation_timeout', 'The browser did not answer in time.');
  return error;
}
