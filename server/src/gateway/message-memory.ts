/** The maximum number of buffered bytes per session. */
const maxBytes = 64 * 1024 * 1024;
/** The memory overhead of a piece: a single byte takes far more than one byte. */
const pieceBytes = 256;

/** The error when a message exceeds the memory. */
export const memoryFull =
  'Too many messages in progress: a session can have at most 64 MiB of them. Wait for some to finish, or send fewer at once.';

/** Limits the memory that messages of one session use together. */
export class MessageMemory {
  #left = maxBytes;

  get isFull(): boolean {
    return this.#left <= 0;
  }

  /** Returns an empty allocation for one message. */
  allocate(): Allocation {
    let taken = 0;
    return {
      add: ({ length }) => {
        taken += length + pieceBytes;
        this.#left -= length + pieceBytes;
        return this.#left >= 0;
      },
      release: () => {
        this.#left += taken;
        taken = 0;
      },
    };
  }
}

/** The memory of one message. */
export interface Allocation {
  /** Adds a piece; returns false if the memory is exceeded. */
  add(piece: Buffer): boolean;
  /** Frees the memory of the message. */
  release(): void;
}
