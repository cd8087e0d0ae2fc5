import { chromium } from 'playwright-core';
import { BrowserError, type Browser } from '../../src/adapters/browser/port.ts';
import type { Visit } from './ssrf.ts';

export interface Visitor {
  visit: Visit;
  close(): Promise<void>;
}

const visitMs = 4_000;

/** A browser as a session has it. */
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

/** Chromium on this host as it comes, behind a proxy or none: what the guards are measured against. */
export async function plainVisitor(
  executablePath: string,
  options: { hostRules: string; proxy?: { server: string; bypass?: string } },
): Promise<Visitor> {
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', `--host-resolver-rules=${options.hostRules}`],
    // Not the way out that the host's environment names.
    ...(options.proxy === undefined ? { env: { PATH: process.env['PATH'] ?? '' } } : { proxy: options.proxy }),
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
