/** What a session's door holds at a time of what has not come to its end, in bytes. */
const maxBytes = 64 * 1024 * 1024;
/** What a piece takes beside its bytes: one of a single byte takes far more than that. */
const pieceBytes = 256;

/** Said to whoever would have it hold more. */
export const noRoom =
  'This session has more than 64 MiB of messages under way. Wait for some of them, or send less at once.';

/** The memory that one session's messages may take together. */
export class Room {
  #left = maxBytes;

  get isFull(): boolean {
    return this.#left <= 0;
  }

  /** A part of it, empty yet, for one message. */
  open(): Held {
    let taken = 0;
    return {
      take: ({ length }) => {
        taken += length + pieceBytes;
        this.#left -= length + pieceBytes;
        return this.#left >= 0;
      },
      letGo: () => {
        this.#left += taken;
        taken = 0;
      },
    };
  }
}

/** What one message takes. */
export interface Held {
  /** Whether there was room for a piece of it. */
  take(piece: Buffer): boolean;
  /** It is not held any more. */
  letGo(): void;
}
