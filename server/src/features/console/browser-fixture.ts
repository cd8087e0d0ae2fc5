import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import type { TestApi } from '../../../test/support/api.ts';
import { chromiumPath, needsBrowser } from '../../../test/support/chromium.ts';
import { join } from '../../../test/support/members.ts';
import { setOperatorPassword } from '../auth/password-service.ts';

const password = 'a long enough secret';

/** A browser for the tests of a `describe`, with a new page for each. */
export interface ConsoleBrowser {
  /** The page of the current test. */
  readonly page: Page;
  /** Goes to an address of the console as a person, by way of the sign-in page; on the current page by default. */
  signIn(path: string, as: string, on?: Page): Promise<void>;
  /** Opens a page of another browser, without the cookies of the first; it is watched as well. */
  another(options?: BrowserContextOptions): Promise<Page>;
  /** Opens another tab of the same browser, with the same cookies; it is watched as well. */
  tab(): Promise<Page>;
}

/** Makes a person who can sign in, with a permission in the organization `default`. */
export async function createPerson(api: TestApi, email: string, permission: 'admin' | 'member' | 'viewer') {
  const { json } = await api.call('GET', '/v3/organizations/default');
  await join(api, String(json['id']), permission, email);
  await setOperatorPassword(api.ctx, email, password);
}

/**
 * Opens Chromium for the tests around. Each of them fails if the page reports an error, a warning or a violation of its
 * policy. No address but the machine's own can be reached.
 */
export function useConsoleBrowser(api: () => TestApi): ConsoleBrowser {
  needsBrowser();
  let browser: Browser | undefined;
  let contexts: BrowserContext[] = [];
  let current: Page | undefined;
  let complaints: string[] = [];
  afterAll(() => browser?.close());
  beforeEach(async () => {
    browser ??= await chromium.launch({
      executablePath: chromiumPath,
      env: { PATH: process.env['PATH'] ?? '' },
      args: ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE ::1, EXCLUDE [::1]'],
    });
    complaints = [];
    current = await open();
  });
  afterEach(async () => {
    await Promise.all(contexts.map((context) => context.close()));
    contexts = [];
    expect(complaints).toEqual([]);
  });
  const open = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser?.newContext(options);
    if (context === undefined) throw new Error('no browser runs');
    contexts.push(context);
    context.setDefaultTimeout(120_000);
    return watched(context);
  };
  const watched = async (context: BrowserContext): Promise<Page> => {
    const opened = await context.newPage();
    opened.on('pageerror', (error) => complaints.push(error.message));
    opened.on('console', (message) => {
      // A browser reports each response of 4xx and 5xx.
      const isResponse = message.text().startsWith('Failed to load resource');
      if (['error', 'warning'].includes(message.type()) && !isResponse) complaints.push(message.text());
    });
    return opened;
  };
  const page = (): Page => {
    if (current === undefined) throw new Error('no test runs');
    return current;
  };
  return {
    get page() {
      return page();
    },
    another: open,
    tab: () => watched(page().context()),
    async signIn(path, as, on = page()) {
      await on.goto(`${api().url}${path}`);
      await on.waitForURL(/\/sign-in\?return_to=/);
      await on.fill('[name=email]', as);
      await on.fill('[name=password]', password);
      await on.click('button:has-text("Sign in")');
      // Not the sign-in page, which is below it as well.
      await on.waitForURL(/\/console\/[^-]/);
    },
  };
}
