import type { DiffLines } from './diff.ts';

/** Returns the lines that an address names: `10`, `10-14`, before the change `old10-14`; undefined if it names none. */
export function linesOf(path: string, written: string | undefined): DiffLines | undefined {
  const [, side = '', from, to] = /^(old)?(\d{1,7})(?:-(\d{1,7}))?$/.exec(written ?? '') ?? [];
  if (from === undefined) return undefined;
  const first = Number(from);
  return { path, side: side === 'old' ? 'old' : 'new', from: first, to: Math.max(first, Number(to ?? from)) };
}

/** Returns how an address names lines. */
export function writtenLines({ side, from, to }: DiffLines): string {
  return `${side === 'old' ? 'old' : ''}${from}${to === from ? '' : `-${to}`}`;
}

/** Returns lines in words: `lines 3 to 9`, `line 3 before the change`. */
export function lineWords({ side, from, to }: Omit<DiffLines, 'path'>): string {
  return `${from === to ? `line ${from}` : `lines ${from} to ${to}`}${side === 'old' ? ' before the change' : ''}`;
}
