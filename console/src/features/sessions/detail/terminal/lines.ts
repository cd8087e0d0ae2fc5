/** Lines of an output, from 1. */
export interface LineRange {
  from: number;
  to: number;
}

/** The lines that an address names: `12`, or `10-14`. */
export function rangeOf(written: string | undefined): LineRange | undefined {
  const [, first, last] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(written ?? '') ?? [];
  const from = Number(first ?? 0);
  return from < 1 ? undefined : { from, to: Math.max(from, Number(last ?? from)) };
}

/** Returns what an address says of a line, or of all lines from one that it names already. */
export function writtenLines(line: number, since?: LineRange): string {
  const from = Math.min(line, since?.from ?? line);
  const to = Math.max(line, since?.to ?? line);
  return from === to ? String(from) : `${from}-${to}`;
}
