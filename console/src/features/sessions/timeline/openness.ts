/** What a reader opened or closed by hand; it stays until they undo it. Knows no React. */
export class Openness {
  readonly #byHand = new Map<string, boolean>();
  readonly #listeners = new Set<() => void>();
  #live: ReadonlySet<string> = new Set();
  #version = 0;

  readonly byHand = (key: string): boolean | undefined => this.#byHand.get(key);

  set(keys: readonly string[], isOpen: boolean): void {
    for (const key of keys) this.#byHand.set(key, isOpen);
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }

  /**
   * Returns the steps that are open because the agent works on them. The one before closes, unless the reader is not at
   * the end of the log: nothing closes that they may be reading.
   */
  liveWith(step: string | undefined, isFollowed: boolean): ReadonlySet<string> {
    if (isFollowed) this.#live = new Set(step === undefined ? [] : [step]);
    else if (step !== undefined && !this.#live.has(step)) this.#live = new Set([...this.#live, step]);
    return this.#live;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly version = (): number => this.#version;
}
