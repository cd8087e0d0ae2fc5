import type { Page, Request } from 'playwright-core';
import { CommandFailed } from './command-failure.ts';
import { targetOf, type LocalProxy } from './proxy.ts';

/** Tracks all navigations of a page, also those that the page starts. */
export class Navigations {
  /** HTTP status of the last document. */
  status = 0;
  readonly #page: Page;
  readonly #proxy: LocalProxy;
  #failed: { url: URL; reason: string } | undefined;
  #current: Request | undefined;
  #ended = Promise.withResolvers<void>();

  constructor(page: Page, proxy: LocalProxy) {
    this.#page = page;
    this.#proxy = proxy;
    page.on('request', (request) => {
      if (!this.#isDocument(request)) return;
      if (this.#current === undefined) this.#ended = Promise.withResolvers<void>();
      this.#current = request;
    });
    page.on('response', (response) => {
      if (this.#isDocument(response.request())) this.status = response.status();
    });
    page.on('requestfailed', (request) => this.#fail(request));
    page.on('domcontentloaded', () => this.#end());
    page.on('download', () => this.#end());
    page.on('crash', () => this.#end());
    page.on('close', () => this.#end());
  }

  reset(): void {
    this.#failed = undefined;
    this.#proxy.forget();
  }

  /** Resolves when no navigation is under way. */
  async settled(): Promise<void> {
    while (this.#current !== undefined) await this.#ended.promise;
  }

  /** Returns once the reason why the last navigation failed. */
  takeFailure(): CommandFailed | undefined {
    if (this.#failed === undefined) return undefined;
    const { url, reason } = this.#failed;
    this.#failed = undefined;
    const known = this.#proxy.failureOf(targetOf(url));
    if (known === undefined)
      return new CommandFailed('navigation_failed', `${url.href} could not be opened: ${reason}.`);
    return new CommandFailed(known.refused ? 'address_not_allowed' : 'navigation_failed', known.message);
  }

  #isDocument(request: Request): boolean {
    return request.isNavigationRequest() && request.frame() === this.#page.mainFrame();
  }

  #fail(request: Request): void {
    if (!this.#isDocument(request)) return;
    const reason = request.failure()?.errorText ?? '';
    const url = URL.parse(request.url());
    // A navigation that was aborted, by a download or another navigation, leaves the page unchanged.
    if (url !== null && reason !== 'net::ERR_ABORTED') this.#failed = { url, reason };
    if (request === this.#current) this.#end();
  }

  #end(): void {
    this.#current = undefined;
    this.#ended.resolve();
  }
}
