import { BrowserError, type Browser, type BrowserDriver, type BrowserOptions } from '../../../adapters/browser/port.ts';

/** The browser of one sandbox: there when it is first used, and gone when it has not been used for a while. */
export interface SessionBrowser {
  /**
   * Hands the browser to `use`; starts one where there is none, if `start` says so. Rejects as `use` does, with a
   * `BrowserError` where there is none, or with what the start came to.
   */
  use<T>(use: (browser: Browser) => Promise<T>, options: { start: boolean; signal: AbortSignal }): Promise<T>;
  /** Ends it, and any that still starts; never rejects. */
  close(): Promise<void>;
}

export function createSessionBrowser(
  driver: BrowserDriver,
  options: Pick<BrowserOptions, 'sandbox' | 'loopback'> & { idleMs: number },
): SessionBrowser {
  const closing = new AbortController();
  let opening: Promise<Browser> | undefined;
  let idle: NodeJS.Timeout | undefined;
  let inUse = 0;
  /** Why there is none any more. */
  let goneBecause = '';

  const open = async (): Promise<Browser> => {
    const { sandbox, loopback } = options;
    const browser = await driver.open({ sandbox, loopback, signal: closing.signal });
    goneBecause = 'The browser has crashed';
    return browser;
  };
  /** Forgets it when it is gone, or does not come up. */
  const watch = async (opened: Promise<Browser>): Promise<void> => {
    try {
      const browser = await opened;
      await browser.ended;
    } catch {
      // Whoever asked for it hears why.
    }
    if (opening === opened) opening = undefined;
  };
  const opened = (): Promise<Browser> => {
    if (opening === undefined) {
      opening = open();
      void watch(opening);
    }
    return opening;
  };
  const closeIdle = async (): Promise<void> => {
    const browser = await opening?.catch(() => undefined);
    if (browser === undefined || inUse > 0) return;
    opening = undefined;
    goneBecause = 'The browser was closed because it was not used for a while';
    await browser.close();
  };

  return {
    async use(use, { start, signal }) {
      signal.throwIfAborted();
      if (closing.signal.aborted) throw new BrowserError('closed', 'The browser is closed.');
      if (opening === undefined && !start)
        throw new BrowserError('closed', goneBecause === '' ? 'No page is open.' : `${goneBecause}.`);
      clearTimeout(idle);
      inUse += 1;
      try {
        const browser = await opened();
        signal.throwIfAborted();
        return await use(browser);
      } finally {
        inUse -= 1;
        if (inUse === 0) idle = setTimeout(() => void closeIdle(), options.idleMs).unref();
      }
    },
    async close() {
      clearTimeout(idle);
      closing.abort(new BrowserError('closed', 'The browser is closed.'));
      const browser = await opening?.catch(() => undefined);
      await browser?.close();
    },
  };
}
