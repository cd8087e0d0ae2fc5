import type { Static } from 'typebox';
import type { Browser, BrowserPage } from '../../adapters/browser/port.ts';
import {
  ClickCall,
  ContentCall,
  NavigateCall,
  OpenCall,
  readAs,
  ScreenshotCall,
  TypeCall,
} from '../../features/browser/calls.ts';
import { browserSlots, browsersEnded, browsersToRun } from '../../features/browser/host-service.ts';
import { AppError, messageOf, notFound } from '../../lib/errors.ts';
import { cleanText } from '../session/log/output.ts';
import { cleanPage, endedText, toProblem } from './failures.ts';
import { browserProblem } from './problem.ts';
import {
  closeBrowserSandbox,
  openBrowserSandbox,
  defaultBrowserSlots,
  type BrowserSandbox,
  type BrowserContext,
} from './browser-sandbox.ts';

export interface BrowserHostOptions {
  /** Maximum number of browsers at once; derived from the machine's memory unless set. */
  slots?: number;
  /** Limit for loading a page, and for reading one. */
  navigationTimeoutMs?: number;
  /** Limit for an element to appear, and for the page to settle after a click. */
  elementTimeoutMs?: number;
  /** Time without calls after which a browser is closed. */
  idleMs?: number;
}

/** The browsers that this worker runs for the API. */
export interface BrowserHost {
  /** Number of browsers, including those that are starting. */
  open(): number;
  /** Closes all browsers and accepts no new ones. */
  stop(): Promise<void>;
}

interface OpenBrowser {
  readonly end: AbortController;
  /** Undefined while it starts, and once it is closed. */
  sandbox: BrowserSandbox | undefined;
  /** Calls under way. */
  busy: number;
  /** By the context's clock. */
  usedAt: number;
}

const reconcileMs = 3_000;
/** A browser runs one call at a time, the others queue. The limit keeps one browser from using up the worker's calls. */
const maxCallsPerBrowser = 6;
/** Exceeds {@link maxCallsPerBrowser}, so that the excess calls are accepted and refused at once. */
const concurrentCallsPerSlot = 8;

/** Starts to run browsers for the API. The worker's row must exist. */
export async function startBrowserHost(ctx: BrowserContext, options: BrowserHostOptions = {}): Promise<BrowserHost> {
  const host = new Host(ctx, options);
  await host.start();
  return host;
}

class Host implements BrowserHost {
  readonly #ctx: BrowserContext;
  readonly #worker: string;
  readonly #slots: number;
  readonly #navigationTimeoutMs: number;
  readonly #elementTimeoutMs: number;
  readonly #idleMs: number;
  readonly #browsers = new Map<string, OpenBrowser>();
  readonly #closing = new Set<Promise<void>>();
  readonly #undo: (() => Promise<void> | void)[] = [];
  #stopping = false;
  #reconciling: Promise<void> | undefined;

  constructor(ctx: BrowserContext, options: BrowserHostOptions) {
    this.#ctx = ctx;
    this.#worker = ctx.config.processId;
    this.#slots = options.slots ?? defaultBrowserSlots();
    this.#navigationTimeoutMs = options.navigationTimeoutMs ?? 30_000;
    this.#elementTimeoutMs = options.elementTimeoutMs ?? 10_000;
    this.#idleMs = options.idleMs ?? 5 * 60_000;
  }

  async start(): Promise<void> {
    const { workerCalls, notifications } = this.#ctx;
    await this.#announce();
    this.#undo.push(
      notifications.subscribe('guildhall_browsers', undefined, (id) => {
        if (id === undefined) this.#reconcile();
        else this.#close(id);
      }),
      // More calls than browsers: those for one browser queue.
      workerCalls.serve(this.#worker, this.#handlers(), { concurrency: concurrentCallsPerSlot * this.#slots }),
    );
    const timer = setInterval(() => this.#reconcile(), reconcileMs);
    this.#undo.push(() => clearInterval(timer));
  }

  open(): number {
    return this.#browsers.size;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    for (const undo of this.#undo.splice(0).reverse()) await undo();
    await this.#reconciling;
    const ids = [...this.#browsers.keys()];
    for (const id of ids) this.#close(id);
    await Promise.all(this.#closing);
    await this.#tryTo('end browser sessions', async () => {
      await browsersEnded(this.#ctx, ids);
      await this.#announce();
    });
  }

  #handlers() {
    const navigation = this.#navigationTimeoutMs;
    const element = this.#elementTimeoutMs;
    return {
      'browser.open': (input: unknown, { signal }: { signal: AbortSignal }) =>
        this.#open(readAs(OpenCall, input), signal),
      'browser.navigate': (input: unknown, { signal }: { signal: AbortSignal }) => {
        const { id, url } = readAs(NavigateCall, input);
        return this.#use(id, (browser) => browser.navigate(url, { timeoutMs: navigation, signal }));
      },
      'browser.click': (input: unknown, { signal }: { signal: AbortSignal }) => {
        const { id, selector } = readAs(ClickCall, input);
        return this.#use(id, (browser) => browser.click(selector, { timeoutMs: element, signal }));
      },
      'browser.type': (input: unknown, { signal }: { signal: AbortSignal }) => {
        const { id, selector, text, submit } = readAs(TypeCall, input);
        return this.#use(id, (browser) => browser.type(selector, text, { submit, timeoutMs: element, signal }));
      },
      'browser.content': (input: unknown, { signal }: { signal: AbortSignal }) => {
        const { id, format } = readAs(ContentCall, input);
        return this.#use(id, async (browser) => {
          const { content, ...page } = await browser.content(format, { timeoutMs: navigation, signal });
          return { ...page, content: cleanText(content) };
        });
      },
      'browser.screenshot': (input: unknown, { signal }: { signal: AbortSignal }) => {
        const { id, fullPage } = readAs(ScreenshotCall, input);
        return this.#use(id, async (browser) => {
          const { data, ...picture } = await browser.screenshot({ fullPage, timeoutMs: navigation, signal });
          return { ...picture, data: data.toString('base64') };
        });
      },
    };
  }

  async #open({ id, ...network }: Static<typeof OpenCall>, signal: AbortSignal): Promise<object> {
    if (this.#stopping || this.#browsers.size >= this.#slots)
      throw new AppError('capacity_unavailable', 'The worker cannot run another browser now. Try again.');
    const open: OpenBrowser = { end: new AbortController(), sandbox: undefined, busy: 0, usedAt: this.#now() };
    this.#browsers.set(id, open);
    const either = AbortSignal.any([signal, open.end.signal]);
    try {
      const sandbox = await openBrowserSandbox(this.#ctx, id, network, either);
      open.sandbox = sandbox;
      void sandbox.browser.ended.then((why) => this.#onExit(id, why));
      either.throwIfAborted();
    } catch (error) {
      this.#close(id, open);
      if (!either.aborted) this.#ctx.log.warn({ browser: id, reason: messageOf(error) }, 'a browser failed to start');
      throw new AppError('capacity_unavailable', 'The browser failed to start. Try again.');
    }
    open.usedAt = this.#now();
    return { url: 'about:blank', title: '' };
  }

  /**
   * Throws 404 `browser_session_not_found` for an unknown browser, 503 `capacity_unavailable` when too many calls wait for
   * it, and the error that {@link toProblem} makes of a failure.
   */
  async #use<T extends BrowserPage>(id: string, run: (browser: Browser) => Promise<T>): Promise<T | object> {
    const open = this.#browsers.get(id);
    if (open?.sandbox === undefined) throw notFound('browser_session', id);
    if (open.busy >= maxCallsPerBrowser)
      throw new AppError(
        'capacity_unavailable',
        `The browser is busy: ${maxCallsPerBrowser} calls wait for it. Try again.`,
      );
    open.busy += 1;
    try {
      return cleanPage(await run(open.sandbox.browser));
    } catch (error) {
      return toProblem(id, error);
    } finally {
      open.busy -= 1;
      open.usedAt = this.#now();
    }
  }

  #now(): number {
    return this.#ctx.clock.now().getTime();
  }

  /** Called when a browser ended by itself. */
  #onExit(id: string, why: string): void {
    if (!this.#browsers.has(id)) return;
    this.#close(id);
    void this.#tryTo('end browser sessions', () => browsersEnded(this.#ctx, [id], endedText(id, why)));
  }

  /** Ends a browser and its sandbox. One that is starting ends as soon as it has started. */
  #close(id: string, open = this.#browsers.get(id)): void {
    if (open === undefined) return;
    if (this.#browsers.get(id) === open) this.#browsers.delete(id);
    open.end.abort(new Error('The browser session ended.'));
    const { sandbox } = open;
    open.sandbox = undefined;
    if (sandbox === undefined) return;
    const closed = closeBrowserSandbox(sandbox).finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }

  /** Ends idle browser sessions, and closes browsers whose session has ended in the database. */
  #reconcile(): void {
    if (this.#stopping) return;
    this.#reconciling ??= this.#tryTo('reconcile browser sessions', async () => {
      // A browser that opens while the query runs is missing from its result.
      const before = [...this.#browsers];
      const idle = before.filter(([, { sandbox, busy, usedAt }]) => {
        return sandbox !== undefined && busy === 0 && this.#now() - usedAt >= this.#idleMs;
      });
      await browsersEnded(
        this.#ctx,
        idle.map(([id]) => id),
      );
      const standing = await browsersToRun(this.#ctx, this.#worker);
      for (const [id, open] of before) if (!standing.has(id)) this.#close(id, open);
      await this.#announce();
    }).finally(() => (this.#reconciling = undefined));
  }

  /** Records how many browsers this worker can run. An operator may install a browser at any time. */
  async #announce(): Promise<void> {
    const problem = await browserProblem(this.#ctx);
    const slots = problem === '' && !this.#stopping ? this.#slots : 0;
    await browserSlots(this.#ctx, this.#worker, { slots, problem });
  }

  async #tryTo(action: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#ctx.log.warn({ reason: messageOf(error) }, `failed to ${action}`);
    }
  }
}
