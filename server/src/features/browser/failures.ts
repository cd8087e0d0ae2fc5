import { WorkerCallFailed } from '../../jobs/worker-calls.ts';
import { AppError } from '../../lib/errors.ts';

/** Converts a failed worker call to an error of the API; returns any other error unchanged. */
export function failureOf(error: unknown, { whileOpening }: { whileOpening: boolean }): unknown {
  if (!(error instanceof WorkerCallFailed)) return error;
  if (whileOpening) return new AppError('capacity_unavailable', 'The worker could not start a browser. Try again.');
  if (error.reason === 'timeout') return new AppError('navigation_timeout', 'The browser did not answer in time.');
  return error;
}
