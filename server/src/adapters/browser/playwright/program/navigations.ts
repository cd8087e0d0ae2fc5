import type { Page, Request } from 'playwright-core';
import { Failed } from './failed.ts';
import { targetOf, type LocalProxy } from './proxy.ts';

/** Tracks the navigations of a page, whoever starts them. */
export class Navigations {
  /** Of the document that came last. */
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

  forget(): void {
    this.#failed = undefined;
    this.#proxy.forget();
  }

  /** Resolves when no document is on its way any more. */
  async settled(): Promise<void> {
    while (this.#current !== undefined) await this.#ended.promise;
  }

  /** Returns, once, why the page has no document of its own. */
  takeFailure(): Failed | undefined {
    if (this.#failed === undefined) return undefined;
    const { url, reason } = this.#failed;
    this.#failed = undefined;
    const known = this.#proxy.failureOf(targetOf(url));
    if (known === undefined) return new Failed('navigation_failed', `${url.href} could not be opened: ${reason}.`);
    return new Failed(known.refused ? 'address_not_allowed' : 'navigation_failed', known.message);
  }

  #isDocument(request: Request): boolean {
    return request.isNavigationRequest() && request.frame() === this.#page.mainFrame();
  }

  #fail(request: Request): void {
    if (!this.#isDocument(request)) return;
    const reason = request.failure()?.errorText ?? '';
    const url = URL.parse(request.url());
    // One that was given up, for a download or another navigation, leaves the page as it was.
    if (url !== null && reason !== 'net::ERR_ABORTED') this.#failed = { url, reason };
    if (request === this.#current) this.#end();
  }

  #end(): void {
    this.#current = undefined;
    this.#ended.resolve();
  }
}
