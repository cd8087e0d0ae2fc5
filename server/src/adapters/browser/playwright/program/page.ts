import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium, type Browser, type BrowserContext, type CDPSession, type Page } from 'playwright-core';
import { toCommandFailed, CommandFailed, TimedOut } from './command-failure.ts';
import { identify, readContent, takeScreenshot } from './page-reader.ts';
import { Navigations } from './navigations.ts';
import type { Command, Result, Setup } from './protocol.ts';
import type { LocalProxy } from './proxy.ts';

/** Additional switches for Chromium. */
const switches = [
  '--disable-gpu',
  '--disable-3d-apis',
  '--disable-quic',
  '--dns-prefetch-disable',
  '--no-pings',
  // Requests that bypass the proxy resolve no name.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
];
/** Playwright's test flags that are unsafe for untrusted pages. */
const unwanted = ['--disable-popup-blocking', '--disable-ipc-flooding-protection', '--enable-unsafe-swiftshader'];

const launcher = fileURLToPath(new URL('chromium.sh', import.meta.url));
const startWithinMs = 20_000;
/** The time in milliseconds for the simplest response, after which a page counts as hung. */
const responsiveWithinMs = 1_000;
/** The time in milliseconds by which our timeout exceeds Playwright's. */
const graceMs = 250;
/** The time in milliseconds for a page to load its resources. */
const loadedWithinMs = 5_000;
/** The time in milliseconds after an action in which a navigation counts as its effect. */
const settleMs = 75;

/** A page of the browser and its state. */
interface Tab {
  readonly page: Page;
  readonly session: CDPSession;
  readonly navigations: Navigations;
  /** Aborted with {@link CommandFailed} when the page crashes. */
  readonly crash: AbortSignal;
}

/** Starts Chromium. `onEnd` is called when it has ended or is no longer usable. */
export async function openBrowser({ executable }: Setup, proxy: LocalProxy, onEnd: () => void): Promise<DrivenPage> {
  const browser = await chromium.launch({
    executablePath: launcher,
    env: { ...process.env, GUILDHALL_CHROMIUM: executable },
    args: switches,
    ignoreDefaultArgs: unwanted,
    // The outer sandbox forbids the namespaces that Chromium's own sandbox needs.
    chromiumSandbox: false,
    proxy: { server: proxy.url, bypass: '<-loopback>' },
    timeout: startWithinMs,
  });
  browser.on('disconnected', onEnd);
  const viewport = { width: 1280, height: 800 };
  const context = await browser.newContext({ acceptDownloads: false, serviceWorkers: 'block', viewport });
  const driven = new DrivenPage(browser, context, proxy, onEnd);
  await driven.replace();
  return driven;
}

/** The single page of a browser. Runs one command at a time. */
export class DrivenPage {
  readonly #browser: Browser;
  readonly #context: BrowserContext;
  readonly #proxy: LocalProxy;
  readonly #onEnd: () => void;
  #tab: Tab | undefined;
  /** True if the arriving page is the requested one. */
  #opening = false;

  constructor(browser: Browser, context: BrowserContext, proxy: LocalProxy, onEnd: () => void) {
    this.#browser = browser;
    this.#context = context;
    this.#proxy = proxy;
    this.#onEnd = onEnd;
    // Closes pop-ups.
    context.on('page', (page) => {
      if (!this.#opening) void page.close().catch(() => undefined);
    });
  }

  /** Replaces an unusable page by a new one. */
  async replace(): Promise<void> {
    this.#tab = undefined;
    this.#opening = true;
    try {
      const page = await withTimeout(this.#context.newPage(), startWithinMs);
      page.on('dialog', (dialog) => {
        const answered = dialog.type() === 'beforeunload' ? dialog.accept() : dialog.dismiss();
        answered.catch(() => undefined);
      });
      const session = await withTimeout(this.#context.newCDPSession(page), startWithinMs);
      this.#tab = { page, session, navigations: new Navigations(page, this.#proxy), crash: crashOf(page) };
      // Closes the former page and its pop-ups.
      for (const other of this.#context.pages()) if (other !== page) void other.close().catch(() => undefined);
    } catch {
      this.#onEnd();
    } finally {
      this.#opening = false;
    }
  }

  /** Rejects with {@link CommandFailed}. */
  async run(command: Command): Promise<Result> {
    const deadline = performance.now() + command.timeoutMs;
    if (this.#tab?.page.isClosed() !== false || (command.op === 'navigate' && !(await isResponsive(this.#tab))))
      await this.replace();
    const tab = this.#tab;
    if (tab === undefined) throw new CommandFailed('closed', 'The browser has ended.');
    const former = tab.navigations.takeFailure();
    if (former !== undefined && command.op !== 'navigate') {
      await this.replace();
      throw former;
    }
    tab.navigations.reset();
    try {
      const result = await withTimeout(
        unlessCrashed(perform(tab, command, deadline), tab.crash),
        command.timeoutMs + graceMs,
      );
      const failure = tab.navigations.takeFailure();
      if (failure !== undefined) throw failure;
      return result;
    } catch (error) {
      const unopened = tab.navigations.takeFailure();
      const failed = unopened ?? toCommandFailed(error, command);
      // Chromium shows its error page a moment later, which would replace an empty page.
      if (unopened !== undefined) await this.replace();
      else if (failed.code !== 'element_not_found') await this.#clear(tab);
      else if (!(await isResponsive(tab))) {
        await this.replace();
        throw toCommandFailed(new TimedOut(), command);
      }
      throw failed;
    }
  }

  async close(): Promise<void> {
    await withTimeout(this.#browser.close(), responsiveWithinMs).catch(() => undefined);
  }

  /** Navigates to an empty page, which stops the current one. */
  async #clear({ page }: Tab): Promise<void> {
    try {
      await page.goto('about:blank', { timeout: responsiveWithinMs });
    } catch {
      await this.replace();
    }
  }
}

function crashOf(page: Page): AbortSignal {
  const crash = new AbortController();
  const message = 'The page crashed, probably because it used too much memory. Open it again, or another one.';
  page.once('crash', () => crash.abort(new CommandFailed('navigation_failed', message)));
  return crash.signal;
}

/** Chromium does not answer calls for a crashed page. */
async function unlessCrashed(work: Promise<Result>, crash: AbortSignal): Promise<Result> {
  const crashed = Promise.withResolvers<never>();
  const onCrash = (): void => crashed.reject(crash.reason);
  work.catch(() => undefined);
  // Nothing of a command stays at the page's signal, least of all an image.
  crash.addEventListener('abort', onCrash, { once: true });
  try {
    crash.throwIfAborted();
    return await Promise.race([work, crashed.promise]);
  } finally {
    crash.removeEventListener('abort', onCrash);
  }
}

async function isResponsive({ page }: Tab): Promise<boolean> {
  try {
    await withTimeout(page.evaluate('1'), responsiveWithinMs);
    return true;
  } catch {
    return false;
  }
}

async function perform({ page, session, navigations }: Tab, command: Command, deadline: number): Promise<Result> {
  const left = (): number => Math.max(1, deadline - performance.now());
  const timeout = left();
  switch (command.op) {
    case 'navigate': {
      await page.goto(command.url, { timeout, waitUntil: 'domcontentloaded' });
      await page.waitForLoadState('load', { timeout: Math.min(left(), loadedWithinMs) }).catch(() => undefined);
      await settle(navigations);
      return { ...(await identify(page, session)), status: navigations.status };
    }
    case 'click': {
      await page.click(command.selector, { timeout });
      await settle(navigations);
      return identify(page, session);
    }
    case 'type': {
      await page.fill(command.selector, command.text, { timeout });
      if (command.submit) await page.press(command.selector, 'Enter', { timeout: left() });
      await settle(navigations);
      return identify(page, session);
    }
    case 'content':
      return { ...(await identify(page, session)), content: await readContent(session, command.format) };
    case 'screenshot': {
      const picture = await takeScreenshot(page, session, { fullPage: command.fullPage, timeout });
      return { ...(await identify(page, session)), ...picture };
    }
  }
}

async function settle(navigations: Navigations): Promise<void> {
  await delay(settleMs);
  await navigations.settled();
}

/** Rejects with {@link TimedOut} after the limit; the promise may settle later, ignored. */
async function withTimeout<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new TimedOut()), timeoutMs);
  promise.catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
