/** Watches if a caller still has access. */
export interface Watch {
  readonly leave: () => void;
  /** Resolves when all notifications so far have been handled. */
  readonly settled: () => Promise<void>;
}
