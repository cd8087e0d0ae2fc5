import { BrowserError, type Browser, type BrowserDriver, type BrowserOptions } from '../../../adapters/browser/port.ts';

export interface SessionBrowserOptions extends Pick<BrowserOptions, 'sandbox' | 'loopback'> {
  /** Time without use after which it is closed. */
  readonly idleMs: number;
}

/** The browser of one sandbox. It starts on first use and closes when idle. */
export class SessionBrowser {
  readonly #driver: BrowserDriver;
  readonly #options: SessionBrowserOptions;
  readonly #closing = new AbortController();
  #opening: Promise<Browser> | undefined;
  #idle: NodeJS.Timeout | undefined;
  #inUse = 0;
  /** The reason why no browser runs. */
  #closedReason = 'No page is open.';

  constructor(driver: BrowserDriver, options: SessionBrowserOptions) {
    this.#driver = driver;
    this.#options = options;
  }

  /**
   * Calls `use` with the browser; with `start` it starts one if none runs. Rejects with a `BrowserError` if none runs, and as
   * `use` and the start do.
   */
  async use<T>(
    use: (browser: Browser) => Promise<T>,
    { start, signal }: { start: boolean; signal: AbortSignal },
  ): Promise<T> {
    signal.throwIfAborted();
    if (this.#closing.signal.aborted) throw new BrowserError('closed', 'The browser is closed.');
    if (this.#opening === undefined && !start) throw new BrowserError('closed', this.#closedReason);
    clearTimeout(this.#idle);
    this.#inUse += 1;
    try {
      const browser = await (this.#opening ?? this.#open());
      signal.throwIfAborted();
      return await use(browser);
    } finally {
      this.#inUse -= 1;
      if (this.#inUse === 0) this.#idle = setTimeout(() => void this.#closeIdle(), this.#options.idleMs).unref();
    }
  }

  /** Closes the browser, also while it starts. Never rejects. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    this.#closing.abort(new BrowserError('closed', 'The browser is closed.'));
    const browser = await this.#opening?.catch(() => undefined);
    await browser?.close();
  }

  #open(): Promise<Browser> {
    const { sandbox, loopback } = this.#options;
    const opening = this.#driver.open({ sandbox, loopback, signal: this.#closing.signal });
    this.#opening = opening;
    void this.#watch(opening);
    return opening;
  }

  /** Clears the browser when it ends or fails to start; the caller of {@link use} gets the error. */
  async #watch(opening: Promise<Browser>): Promise<void> {
    const browser = await opening.catch(() => undefined);
    const why = await browser?.ended;
    if (this.#opening !== opening) return;
    this.#opening = undefined;
    if (why !== undefined) this.#closedReason = why;
  }

  async #closeIdle(): Promise<void> {
    const browser = await this.#opening?.catch(() => undefined);
    if (browser === undefined || this.#inUse > 0) return;
    this.#opening = undefined;
    this.#closedReason = 'The browser was closed because it was idle.';
    await browser.close();
  }
}
