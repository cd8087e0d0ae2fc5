import type { Openness } from './openness.ts';
import { isNoticed } from './noticed.ts';
import type { Items, Item } from './items.ts';
import type { Row } from './rows.ts';

/** Returns the row that an event belongs to, or the one before it if readers do not see that one. */
export function rowAt(rows: readonly Row[], seq: number): Row | undefined {
  const shown = rows.filter(isNoticed);
  const exact = shown.find((row) => row.seq === seq);
  const around = shown.findLast((row) => row.seq <= seq && seq <= row.lastSeq);
  return exact ?? around ?? shown.findLast((row) => row.seq <= seq) ?? shown[0];
}

/** Opens what hides a row; returns true if something had to be opened. */
export function reveal(key: string, hiddenBy: Items['hiddenBy'], openness: Openness): boolean {
  const keys: string[] = [];
  let by = hiddenBy.get(key);
  while (by !== undefined && !keys.includes(by)) {
    // The files of a step are always shown.
    if (!by.startsWith('files:')) keys.push(by);
    by = hiddenBy.get(by);
  }
  const closed = keys.filter((one) => openness.byHand(one) !== true);
  if (closed.length > 0) openness.set(closed, true);
  return closed.length > 0;
}

/** Returns the place of the item that shows a row; a command is in its call's item, a file in those of its step. */
export function indexOf(items: readonly Item[], key: string, hiddenBy: Items['hiddenBy']): number {
  let wanted: string | undefined = key;
  for (let depth = 0; wanted !== undefined && depth < 5; depth += 1) {
    const at = items.findIndex((item) => item.key === wanted);
    if (at !== -1) return at;
    wanted = hiddenBy.get(wanted);
  }
  return -1;
}

/**
 * Returns the place of an item that was there before. Where more of the log came before a step, the step is the same but
 * begins earlier, under another key.
 */
export function indexAround(items: readonly Item[], { key, seq }: { key: string; seq: number }): number {
  const same = items.findIndex((item) => item.key === key);
  return same === -1 ? items.findIndex((item) => item.seq <= seq && seq <= item.lastSeq) : same;
}

const mattering = new Set<Row['kind']>(['message', 'approval', 'error', 'budget', 'change_request']);

/** Returns true for what a reader walks to with `n` and `p`: messages, approvals, failures and results. */
export function matters(item: Item): boolean {
  if (item.kind === 'step') return item.step.failed > 0;
  if (item.kind === 'files') return false;
  const { row } = item;
  if (row.kind === 'call') return row.is.result?.ok === false;
  if (row.kind === 'command') return (row.is.command?.exit_code ?? 0) !== 0;
  if (row.kind === 'phase') return row.is.status === 'failed';
  return mattering.has(row.kind);
}
