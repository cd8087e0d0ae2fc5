import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium, type Browser, type BrowserContext, type CDPSession, type Page } from 'playwright-core';
import { describe, Failed, TimedOut } from './failed.ts';
import { identify, readContent, takeScreenshot } from './look.ts';
import { Navigations } from './navigations.ts';
import type { Command, Result, Setup } from './protocol.ts';
import type { LocalProxy } from './proxy.ts';

/** Chromium's own switches, beside those that Playwright sets. */
const switches = [
  '--disable-gpu',
  '--disable-3d-apis',
  '--disable-quic',
  '--dns-prefetch-disable',
  '--no-pings',
  // Whatever goes past the proxy has no name, and so no address.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
];
/** Playwright's test flags that are unsafe for untrusted pages. */
const unwanted = ['--disable-popup-blocking', '--disable-ipc-flooding-protection', '--enable-unsafe-swiftshader'];

const launcher = fileURLToPath(new URL('chromium.sh', import.meta.url));
const startWithinMs = 20_000;
/** The time in milliseconds for the simplest response, after which a page counts as hung. */
const answersWithinMs = 1_000;
/** The time in milliseconds by which our timeout exceeds Playwright's. */
const graceMs = 250;
/** The time in milliseconds for a page to load its resources. */
const loadedWithinMs = 5_000;
/** The time in milliseconds after an action in which a navigation counts as its effect. */
const settleMs = 75;

/** One page of the browser, with what is known of it. */
interface Tab {
  readonly page: Page;
  readonly session: CDPSession;
  readonly navigations: Navigations;
}

/** Starts Chromium. `onEnd` is called when it is gone, or can be of no use any more. */
export async function openBrowser({ executable }: Setup, proxy: LocalProxy, onEnd: () => void): Promise<DrivenPage> {
  const browser = await chromium.launch({
    executablePath: launcher,
    env: { ...process.env, GUILDHALL_CHROMIUM: executable },
    args: switches,
    ignoreDefaultArgs: unwanted,
    // The sandbox around all of it forbids the namespaces that Chromium's own would need.
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

/** The one page of a browser. A command at a time. */
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
    // Whatever a page opens beside itself is nobody's.
    context.on('page', (page) => {
      if (!this.#opening) void page.close().catch(() => undefined);
    });
  }

  /** Puts a new page in the place of one that is of no use any more. */
  async replace(): Promise<void> {
    this.#tab = undefined;
    this.#opening = true;
    try {
      const page = await within(this.#context.newPage(), startWithinMs);
      page.on('dialog', (dialog) => {
        const answered = dialog.type() === 'beforeunload' ? dialog.accept() : dialog.dismiss();
        answered.catch(() => undefined);
      });
      const session = await within(this.#context.newCDPSession(page), startWithinMs);
      this.#tab = { page, session, navigations: new Navigations(page, this.#proxy) };
      // The former page, and what it opened just now.
      for (const other of this.#context.pages()) if (other !== page) void other.close().catch(() => undefined);
    } catch {
      this.#onEnd();
    } finally {
      this.#opening = false;
    }
  }

  /** Rejects with {@link Failed}. */
  async run(command: Command): Promise<Result> {
    const deadline = performance.now() + command.timeoutMs;
    if (this.#tab?.page.isClosed() !== false || (command.op === 'navigate' && !(await answers(this.#tab))))
      await this.replace();
    const tab = this.#tab;
    if (tab === undefined) throw new Failed('closed', 'The browser is gone.');
    const former = tab.navigations.takeFailure();
    if (former !== undefined && command.op !== 'navigate') {
      await this.replace();
      throw former;
    }
    tab.navigations.forget();
    try {
      const result = await within(perform(tab, command, deadline), command.timeoutMs + graceMs);
      const failure = tab.navigations.takeFailure();
      if (failure !== undefined) throw failure;
      return result;
    } catch (error) {
      const unopened = tab.navigations.takeFailure();
      const failed = unopened ?? describe(error, command);
      // Chromium brings its error page a moment later, and would do so in place of an empty one.
      if (unopened !== undefined) await this.replace();
      else if (failed.code !== 'element_not_found') await this.#leave(tab);
      else if (!(await answers(tab))) {
        await this.replace();
        throw describe(new TimedOut(), command);
      }
      throw failed;
    }
  }

  async close(): Promise<void> {
    await within(this.#browser.close(), answersWithinMs).catch(() => undefined);
  }

  /** Empties the page, so that nothing of it goes on. */
  async #leave({ page }: Tab): Promise<void> {
    try {
      await page.goto('about:blank', { timeout: answersWithinMs });
    } catch {
      await this.replace();
    }
  }
}

async function answers({ page }: Tab): Promise<boolean> {
  try {
    await within(page.evaluate('1'), answersWithinMs);
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

/** Rejects with {@link TimedOut} when something takes longer; it may go on, unheard. */
async function within<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new TimedOut()), timeoutMs);
  promise.catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
