import type { Row } from './rows.ts';

/** States that a person would notice; the others only change the header. */
const statuses = new Set(['waiting', 'suspended', 'completed', 'failed', 'canceled']);

/** Returns true for rows that a reader sees; bookkeeping is left out. */
export function isNoticed(row: Row): boolean {
  if (row.kind === 'usage' || row.kind === 'checkpoint') return false;
  if (row.kind === 'status') return statuses.has(row.is.status);
  // The question is a message as well.
  if (row.kind === 'call') return row.is.call?.name !== 'ask' || row.is.result?.ok === false;
  return row.kind !== 'provisioning' || row.is.status !== 'passed';
}
