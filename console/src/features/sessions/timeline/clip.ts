/** A long text of which the beginning and the end are kept. */
export interface Clip {
  /** Its first characters; all of them if `length` is no more than `head.length + tail.length`. */
  head: string;
  /** The last ones of the rest. */
  tail: string;
  /** Characters of the whole text. */
  length: number;
}

/** Characters that a clip keeps. */
export const kept = { head: 4_000, tail: 20_000 };

export const emptyClip: Clip = { head: '', tail: '', length: 0 };

export function clipOf(text: string): Clip {
  return { head: text.slice(0, kept.head), tail: text.slice(kept.head).slice(-kept.tail), length: text.length };
}

/** Returns the clip of two texts, one behind the other; associative. */
export function joinClips(a: Clip, b: Clip): Clip {
  if (b.length === 0) return a;
  if (a.length === 0) return b;
  const isWhole = b.length === b.head.length + b.tail.length;
  const length = a.length + b.length;
  const missing = Math.max(0, kept.head - a.length);
  const head = a.head + b.head.slice(0, missing);
  const rest = isWhole ? (b.head + b.tail).slice(missing) : b.tail;
  return { head, tail: (isWhole ? a.tail + rest : rest).slice(-kept.tail), length };
}

/** Returns the characters that are missing between head and tail. */
export function omitted({ head, tail, length }: Clip): number {
  return length - head.length - tail.length;
}
