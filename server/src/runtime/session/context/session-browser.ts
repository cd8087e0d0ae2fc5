import { BrowserError, type Browser, type BrowserDriver, type BrowserOptions } from '../../../adapters/browser/port.ts';

export interface SessionBrowserOptions extends Pick<BrowserOptions, 'sandbox' | 'loopback'> {
  /** After how long without a use it is closed. */
  readonly idleMs: number;
}

/** The browser of one sandbox: there when it is first used, and gone when it has not been used for a while. */
export class SessionBrowser {
  readonly #driver: BrowserDriver;
  readonly #options: SessionBrowserOptions;
  readonly #closing = new AbortController();
  #opening: Promise<Browser> | undefined;
  #idle: NodeJS.Timeout | undefined;
  #inUse = 0;
  /** What became of the last one. */
  #goneBecause = 'No page is open.';

  constructor(driver: BrowserDriver, options: SessionBrowserOptions) {
    this.#driver = driver;
    this.#options = options;
  }

  /**
   * Hands the browser to `use`; starts one where there is none, if `start` says so. Rejects as `use` and the start do,
   * and with a `BrowserError` when there is none.
   */
  async use<T>(
    use: (browser: Browser) => Promise<T>,
    { start, signal }: { start: boolean; signal: AbortSignal },
  ): Promise<T> {
    signal.throwIfAborted();
    if (this.#closing.signal.aborted) throw new BrowserError('closed', 'The browser is closed.');
    if (this.#opening === undefined && !start) throw new BrowserError('closed', this.#goneBecause);
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

  /** Ends it, and one that still starts; never rejects. */
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

  /** Forgets it when it is gone, or does not come up, of which hears who asked for it. */
  async #watch(opening: Promise<Browser>): Promise<void> {
    const browser = await opening.catch(() => undefined);
    await browser?.ended;
    if (this.#opening !== opening) return;
    this.#opening = undefined;
    if (browser !== undefined) this.#goneBecause = 'The browser has crashed, and its page is gone.';
  }

  async #closeIdle(): Promise<void> {
    const browser = await this.#opening?.catch(() => undefined);
    if (browser === undefined || this.#inUse > 0) return;
    this.#opening = undefined;
    this.#goneBecause = 'The browser was closed because nobody used it for a while.';
    await browser.close();
  }
}
