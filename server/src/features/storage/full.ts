import { shownBytes } from '../../lib/bytes.ts';
import { AppError } from '../../lib/errors.ts';

/** Creates the error 402 `budget_exceeded` for an organization whose storage is full, or too small for the addition. */
export function storageFull(usedBytes: number, maxBytes: number): AppError {
  const details = { used_bytes: usedBytes, max_bytes: maxBytes };
  return new AppError('budget_exceeded', fullText(usedBytes, maxBytes), details);
}

/** Returns a text that says what is full and what to do; also for events and for git. */
export function fullText(usedBytes: number, maxBytes: number): string {
  const rest = maxBytes - usedBytes;
  const problem = rest > 0 ? `, and this does not fit into the ${shownBytes(rest)} that are left` : '';
  return (
    `Limit reached: the organization stores ${shownBytes(usedBytes)} of ${shownBytes(maxBytes)} in files, ` +
    `checkpoints and repositories${problem}. Delete sessions or attachments, or ask the operator for more. A deleted ` +
    'repository counts for 30 days.'
  );
}
