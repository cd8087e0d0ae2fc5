import type { Page, Route } from 'playwright-core';

/** Holds the next request of a page, with its answer, until `pass`; `lose` loses the answer. */
export async function hold(page: Page, method: string, path: string | RegExp) {
  const [sent, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const done = Promise.withResolvers<void>();
  let isHeld = false;
  let isLost = false;
  // The handler stays: without one, the browser sends the held request by itself.
  await page.route(typeof path === 'string' ? `**${path}` : path, async (route: Route) => {
    if (isHeld || route.request().method() !== method) return route.fallback();
    isHeld = true;
    const response = await route.fetch();
    sent.resolve();
    await released.promise;
    // The page may have given it up.
    await (isLost ? route.abort() : route.fulfill({ response })).catch(() => undefined);
    done.resolve();
  });
  const pass = () => {
    released.resolve();
    return done.promise;
  };
  return {
    isSent: sent.promise,
    pass,
    lose: () => {
      isLost = true;
      return pass();
    },
  };
}

/** Holds all reads of what a pattern names, until the returned function is called. */
export async function holdReads(page: Page, path: RegExp): Promise<() => void> {
  const released = Promise.withResolvers<void>();
  await page.route(path, async (route) => {
    if (route.request().method() === 'GET') await released.promise;
    // The page may have given it up.
    await route.fallback().catch(() => undefined);
  });
  return released.resolve;
}
