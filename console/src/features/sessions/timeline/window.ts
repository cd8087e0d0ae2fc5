/** A log is read in blocks of this many events; a full block never changes. */
export const blockSize = 200;
/** A window holds at most this many blocks. */
export const mostBlocks = 40;

/** A run of blocks without a gap. Block 0 has the events 1 to 200. */
export interface BlockWindow {
  first: number;
  last: number;
}

/** Returns the block of an event. */
export function blockOf(seq: number): number {
  return Math.max(0, Math.floor((seq - 1) / blockSize));
}

/** Returns the numbers of a block's first and last event. */
export function rangeOf(block: number): { from: number; to: number } {
  return { from: block * blockSize + 1, to: (block + 1) * blockSize };
}

/** Returns where a log opens: its last two blocks, or those around an event. */
export function windowAt(lastSeq: number, seq?: number): BlockWindow {
  const tail = blockOf(lastSeq);
  if (seq === undefined) return { first: Math.max(0, tail - 1), last: tail };
  const at = Math.min(tail, blockOf(seq));
  return { first: Math.max(0, at - 1), last: Math.min(tail, at + 1) };
}

/** Returns the window with one more block at a side, and without blocks at the other side beyond what it may hold. */
export function grown(window: BlockWindow, side: 'earlier' | 'later', most = mostBlocks): BlockWindow {
  if (side === 'earlier') {
    const first = Math.max(0, window.first - 1);
    return { first, last: Math.min(window.last, first + most - 1) };
  }
  const last = window.last + 1;
  return { first: Math.max(window.first, last - most + 1), last };
}

/** Returns true if the log's newest event is in the window: what arrives is then appended. */
export function isAttached(window: BlockWindow, lastSeq: number): boolean {
  return window.last >= blockOf(lastSeq);
}
