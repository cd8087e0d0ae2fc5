import { beforeEach } from 'vitest';
import { createPlaywrightDriver } from '../../src/adapters/browser/playwright/driver.ts';

/** The path in Debian. */
export const chromiumPath = '/usr/lib/chromium/chromium-headless-shell';

/** The reason why this machine has no browser for tests; `''` if it has one. */
export const browserProblem = await createPlaywrightDriver().probe();

/** Skips the tests of the calling file or block without a browser, with the reason. */
export function needsBrowser(): void {
  beforeEach((context) => {
    if (browserProblem !== '') context.skip(browserProblem);
  });
}
