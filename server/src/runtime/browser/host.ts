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
import { browserSlots, browsersEnded, standingBrowserSessions } from '../../features/browser/host-service.ts';
import { AppError, messageOf, notFound } from '../../lib/errors.ts';
import { cleanText } from '../session/log/output.ts';
import { answerOf, cleaned } from './answers.ts';
import { browserProblem } from './problem.ts';
import { closeRoom, openRoom, slotsOfMachine, type BrowserRoom, type RoomContext } from './room.ts';

export interface BrowserHostOptions {
  /** How many browsers run at once; as many as the machine has memory for unless told. */
  slots?: number;
  /** How long a page may take to come, and to be read. */
  navigationTimeoutMs?: number;
  /** How long an element may take to appear, and what a click leads to to come. */
  elementTimeoutMs?: number;
  /** How long a browser stays that nobody uses. */
  idleMs?: number;
}

/** The browsers of this worker for those who ask over the API. */
export interface BrowserHost {
  /** How many there are, those included that start. */
  open(): number;
  /** Closes all of them, and takes no more. */
  stop(): Promise<void>;
}

interface Held {
  readonly end: AbortController;
  room: BrowserRoom | undefined;
  /** Calls under way. */
  busy: number;
  /** By the context's clock. */
  usedAt: number;
}

const lookMs = 3_000;
/** How many calls may be under way for one browser, which does one at a time: those of one take no other's place. */
const mostCalls = 6;
/** So many calls are taken at once for each browser there can be; those beyond a browser's own are refused at once. */
const callsOfOne = 8;

/** Begins to run browsers for the API. The worker has said hello before. */
export async function startBrowserHost(ctx: RoomContext, options: BrowserHostOptions = {}): Promise<BrowserHost> {
  const host = new Host(ctx, options);
  await host.start();
  return host;
}

class Host implements BrowserHost {
  readonly #ctx: RoomContext;
  readonly #worker: string;
  readonly #slots: number;
  readonly #navigationTimeoutMs: number;
  readonly #elementTimeoutMs: number;
  readonly #idleMs: number;
  readonly #held = new Map<string, Held>();
  readonly #closing = new Set<Promise<void>>();
  readonly #undo: (() => Promise<void> | void)[] = [];
  #stopping = false;
  #looking: Promise<void> | undefined;

  constructor(ctx: RoomContext, options: BrowserHostOptions) {
    this.#ctx = ctx;
    this.#worker = ctx.config.processId;
    this.#slots = options.slots ?? slotsOfMachine();
    this.#navigationTimeoutMs = options.navigationTimeoutMs ?? 30_000;
    this.#elementTimeoutMs = options.elementTimeoutMs ?? 10_000;
    this.#idleMs = options.idleMs ?? 5 * 60_000;
  }

  async start(): Promise<void> {
    const { workerCalls, notifications } = this.#ctx;
    await this.#announce();
    this.#undo.push(
      notifications.subscribe('guildhall_browsers', undefined, (id) => {
        if (id === undefined) this.#look();
        else this.#close(id);
      }),
      // A call waits while another one has the same browser.
      workerCalls.serve(this.#worker, this.#handlers(), { concurrency: callsOfOne * this.#slots }),
    );
    const timer = setInterval(() => this.#look(), lookMs);
    this.#undo.push(() => clearInterval(timer));
  }

  open(): number {
    return this.#held.size;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    for (const undo of this.#undo.splice(0).reverse()) await undo();
    await this.#looking;
    const ids = [...this.#held.keys()];
    for (const id of ids) this.#close(id);
    await Promise.all(this.#closing);
    await this.#attempt('ended', async () => {
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
    if (this.#stopping || this.#held.size >= this.#slots)
      throw new AppError('capacity_unavailable', 'The worker has no room for another browser. Try again.');
    const held: Held = { end: new AbortController(), room: undefined, busy: 0, usedAt: this.#now() };
    this.#held.set(id, held);
    const either = AbortSignal.any([signal, held.end.signal]);
    try {
      const room = await openRoom(this.#ctx, id, network, either);
      held.room = room;
      void room.browser.ended.then(() => this.#lost(id));
      either.throwIfAborted();
    } catch (error) {
      this.#close(id, held);
      if (!either.aborted) this.#ctx.log.warn({ browser: id, reason: messageOf(error) }, 'a browser did not start');
      throw new AppError('capacity_unavailable', 'The browser did not start. Try again.');
    }
    held.usedAt = this.#now();
    return { url: 'about:blank', title: '' };
  }

  /**
   * Throws 404 `browser_session_not_found` when there is no such browser, 503 `capacity_unavailable` when too many wait for
   * it, and what {@link answerOf} makes of a failure.
   */
  async #use<T extends BrowserPage>(id: string, run: (browser: Browser) => Promise<T>): Promise<T | object> {
    const held = this.#held.get(id);
    if (held?.room === undefined) throw notFound('browser_session', id);
    if (held.busy >= mostCalls)
      throw new AppError('capacity_unavailable', `The browser is busy, and ${mostCalls} calls wait for it. Try again.`);
    held.busy += 1;
    try {
      return cleaned(await run(held.room.browser));
    } catch (error) {
      return answerOf(id, error);
    } finally {
      held.busy -= 1;
      held.usedAt = this.#now();
    }
  }

  #now(): number {
    return this.#ctx.clock.now().getTime();
  }

  /** The browser ended by itself. */
  #lost(id: string): void {
    if (!this.#held.has(id)) return;
    this.#close(id);
    void this.#attempt('ended', () => browsersEnded(this.#ctx, [id]));
  }

  /** Ends a browser with all that belongs to it; where it is being started, as soon as it has started. */
  #close(id: string, held = this.#held.get(id)): void {
    if (held === undefined) return;
    if (this.#held.get(id) === held) this.#held.delete(id);
    held.end.abort(new Error('The browser session was ended.'));
    const { room } = held;
    held.room = undefined;
    if (room === undefined) return;
    const closed = closeRoom(room).finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }

  /** Sees which browsers are over: unused for too long, or by the database. */
  #look(): void {
    if (this.#stopping) return;
    this.#looking ??= this.#attempt('looked at', async () => {
      // Those that come while the database is asked are none of those that it answers for.
      const before = [...this.#held];
      const idle = before.filter(([, { room, busy, usedAt }]) => {
        return room !== undefined && busy === 0 && this.#now() - usedAt >= this.#idleMs;
      });
      await browsersEnded(
        this.#ctx,
        idle.map(([id]) => id),
      );
      const standing = await standingBrowserSessions(this.#ctx, this.#worker);
      for (const [id, held] of before) if (!standing.has(id)) this.#close(id, held);
      await this.#announce();
    }).finally(() => (this.#looking = undefined));
  }

  /** Says what this worker can run, which may be more once somebody has installed it. */
  async #announce(): Promise<void> {
    const problem = await browserProblem(this.#ctx);
    const slots = problem === '' && !this.#stopping ? this.#slots : 0;
    await browserSlots(this.#ctx, this.#worker, { slots, problem });
  }

  async #attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#ctx.log.warn({ reason: messageOf(error) }, `browser sessions could not be ${what}`);
    }
  }
}
