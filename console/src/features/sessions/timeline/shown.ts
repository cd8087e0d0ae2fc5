import type { Row, RowOf } from './rows.ts';

/** The rows that stand by themselves, and the commands of each call, by the key of its row. */
export interface ShownRows {
  rows: Row[];
  commands: Map<string, RowOf<'command'>[]>;
}

/** States that a person would notice; the others only change the header. */
const noticed = new Set(['waiting', 'suspended', 'completed', 'failed', 'canceled']);

/** Returns what a reader sees of the rows: commands belong to their call, and bookkeeping is left out. */
export function shownRows(all: readonly Row[]): ShownRows {
  const calls = new Set(all.filter(({ kind }) => kind === 'call').map(({ key }) => key));
  const commands = new Map<string, RowOf<'command'>[]>();
  const rows = all.filter((row) => {
    if (row.kind === 'command') {
      const call = `call:${row.is.callId}`;
      if (!calls.has(call)) return true;
      commands.set(call, [...(commands.get(call) ?? []), row]);
      return false;
    }
    return isShown(row);
  });
  return { rows, commands };
}

function isShown(row: Row): boolean {
  if (row.kind === 'usage' || row.kind === 'checkpoint') return false;
  if (row.kind === 'status') return noticed.has(row.is.status);
  return row.kind !== 'provisioning' || row.is.status !== 'passed';
}
