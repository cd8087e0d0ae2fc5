import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { stock, type Inventory } from '../../../test/support/inventory.ts';
import { createPerson, useConsoleBrowser } from './browser-fixture.ts';
import { addressOf, problemsOnPhone, screensIn, screensOf } from './screens-fixture.ts';

let api: TestApi;
let made: Inventory;
beforeAll(async () => {
  api = await startTestApi();
  made = await stock(api, 'default', api.adminKey);
  await createPerson(api, 'admin@example.com', 'admin');
  await createPerson(api, 'viewer@example.com', 'viewer');
});
afterAll(() => api.close());

interface Finding {
  id: string;
  where: string;
}

async function look(page: Page, only?: string): Promise<Finding[]> {
  const rules = only === undefined ? '' : `runOnly: [${JSON.stringify(only)}],`;
  return page.evaluate<Finding[]>(`axe.run(document, { ${rules} preload: false, resultTypes: ['violations'] }).then(
    ({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.slice(0, 3).map(({ html, any }) => ({ id, where: html.slice(0, 200) + ' ' + (any[0]?.message ?? '') }))))`);
}

/** Looks at a page in both themes. */
async function lookInBoth(page: Page, what: string): Promise<string[]> {
  const found = await look(page);
  await page.evaluate('document.documentElement.dataset.theme = "dark"');
  const inDark = await look(page, 'color-contrast');
  await page.evaluate('document.documentElement.dataset.theme = "light"');
  return [...found, ...inDark].map(({ id, where }) => `${what} ${id}: ${where}`);
}

describe('every screen', () => {
  const browser = useConsoleBrowser(() => api);

  test.each(['admin', 'viewer'] as const)(
    'is accessible to the %s in both themes, fits a phone, and offers nothing that is refused',
    async (who) => {
      // One of the two has a screen to touch.
      const page = who === 'admin' ? await browser.another({ hasTouch: true }) : browser.page;
      await page.emulateMedia({ reducedMotion: 'reduce' });
      const { goTo, settled } = screensIn(page);
      const refused: string[] = [];
      page.on('response', (response) => {
        if (response.status() === 403) refused.push(`${page.url()}: ${response.url()}`);
      });
      await browser.signIn('/console/default/sessions', `${who}@example.com`, page);
      await settled();
      const screens = await screensOf(page);
      expect(screens.length).toBeGreaterThan(15);
      await page.evaluate(axe.source);
      const findings: string[] = [];
      for (const route of screens) {
        await goTo(addressOf(route, made.values));
        if ((await page.getByText('This is not here.').count()) > 0) findings.push(`${route}: is not here`);
        findings.push(...(await lookInBoth(page, route)));
        if (who === 'admin') findings.push(...(await problemsOnPhone(page)).map((problem) => `${route}: ${problem}`));
      }
      expect([...findings, ...refused]).toEqual([]);
    },
  );
});
