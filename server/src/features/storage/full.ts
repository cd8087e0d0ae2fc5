import { shownBytes } from '../../lib/bytes.ts';
import { AppError } from '../../lib/errors.ts';

/** 402 `budget_exceeded`: an organization keeps all that it may, or has no room for what is to be added. */
export function storageFull(usedBytes: number, maxBytes: number): AppError {
  const details = { used_bytes: usedBytes, max_bytes: maxBytes };
  return new AppError('budget_exceeded', fullText(usedBytes, maxBytes), details);
}

/** What is full, and what helps: also for events and for git. */
export function fullText(usedBytes: number, maxBytes: number): string {
  const rest = maxBytes - usedBytes;
  const problem = rest > 0 ? `, and this does not fit into the ${shownBytes(rest)} that are left` : '';
  return (
    `Limit reached: the organization stores ${shownBytes(usedBytes)} of ${shownBytes(maxBytes)} in files, ` +
    `checkpoints and repositories${problem}. Delete sessions or attachments, or ask the operator for more. A deleted ` +
    'repository counts for 30 days.'
  );
}
