/** A watch over what let somebody in. */
export interface Watch {
  readonly leave: () => void;
  /** Resolves when everything that was notified until now has been looked at. */
  readonly settled: () => Promise<void>;
}
