import { chromium } from 'playwright-core';
import { BrowserError, type Browser } from '../../src/adapters/browser/port.ts';
import type { Visit } from './ssrf.ts';

export interface Visitor {
  visit: Visit;
  close(): Promise<void>;
}

const visitMs = 4_000;

/** Returns a browser as a session has it. */
export function guardedVisitor(browser: Browser): Visitor {
  return {
    async visit(url) {
      try {
        const { title } = await browser.navigate(url, { timeoutMs: visitMs });
        const { content } = await browser.content('text', { timeoutMs: visitMs });
        return `${title} ${content}`;
      } catch (error) {
        if (error instanceof BrowserError) return error.message;
        throw error;
      }
    },
    close: () => browser.close(),
  };
}

/** Starts Chromium on this host without guards, with or without a proxy: the baseline for the guards. */
export async function plainVisitor(
  executablePath: string,
  { hostRules, proxy }: { hostRules: string; proxy?: { server: string; bypass?: string } },
): Promise<Visitor> {
  const browser = await chromium.launch({
    executablePath,
    // Ignores a proxy in the host's environment.
    env: { PATH: process.env['PATH'] ?? '' },
    args: [
      '--no-sandbox',
      `--host-resolver-rules=${hostRules}`,
      // Passed as switches, because Playwright would add the bypass itself.
      ...(proxy === undefined ? [] : [`--proxy-server=${proxy.server}`]),
      ...(proxy?.bypass === undefined ? [] : [`--proxy-bypass-list=${proxy.bypass}`]),
    ],
  });
  let last = await browser.newContext();
  return {
    async visit(url) {
      await last.close();
      last = await browser.newContext();
      const page = await last.newPage();
      try {
        await page.goto(url, { timeout: visitMs });
        return String(await page.evaluate('document.documentElement.innerText'));
      } catch (error) {
        return String(error);
      }
    },
    close: () => browser.close(),
  };
}
