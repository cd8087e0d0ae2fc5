/** What can change whether a log follows its end. */
export type PinInput =
  /** The reader asked for the end, or wrote something. */
  | { kind: 'end' }
  /** A wheel, a finger or a key that leads upwards, before anything moved; or the reader opened or chose a row. */
  | { kind: 'away' }
  /** The position changed by so many pixels, and is now so far from the end. */
  | { kind: 'moved'; by: number; toEnd: number; isAttached: boolean };

/** Within so many pixels of the end, the log follows it again. */
export const nearEnd = 80;

/** Returns whether a log follows its end after an input. It is never guessed from a position alone. */
export function pinnedAfter(isPinned: boolean, input: PinInput): boolean {
  switch (input.kind) {
    case 'end':
      return true;
    case 'away':
      return false;
    case 'moved':
      if (!input.isAttached) return false;
      // What a scrollbar or an assistive technology does shows only by the position.
      if (input.by < 0) return isPinned && input.toEnd <= nearEnd;
      return isPinned || (input.by > 0 && input.toEnd <= nearEnd);
  }
}
