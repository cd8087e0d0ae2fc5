import { beforeEach } from 'vitest';
import { createPlaywrightDriver } from '../../src/adapters/browser/playwright/driver.ts';

/** Where Debian puts it. */
export const chromiumPath = '/usr/lib/chromium/chromium-headless-shell';

/** Why no browser can be tried on this machine; `''` when one can. */
export const browserProblem = await createPlaywrightDriver().probe();

/** Where there is no browser, the tests of the file or block that calls it are skipped, with the reason. */
export function needsBrowser(): void {
  beforeEach((context) => {
    if (browserProblem !== '') context.skip(browserProblem);
  });
}
