import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { stock, type Inventory } from '../../../test/support/inventory.ts';
import { createPerson, useConsoleBrowser } from './browser-fixture.ts';

let api: TestApi;
let made: Inventory;
beforeAll(async () => {
  api = await startTestApi();
  made = await stock(api, 'default', api.adminKey);
  await createPerson(api, 'admin@example.com', 'admin');
  await createPerson(api, 'viewer@example.com', 'viewer');
});
afterAll(() => api.close());

/** Places of the API whose name in the console's addresses is another one. */
const names: Readonly<Record<string, string>> = {
  'knowledge/{noteId}': 'knowledge/notes/{noteId}',
  'agents/{id}': 'agents/{agent_id}',
  'apps/{id}': 'apps/{app_id}',
  'automations/{id}/runs/{runId}': 'automations/runs/{runId}',
  'repositories/{repository}': 'repositories/{id}',
  'repositories/{repository}/change-requests/{number}': 'repositories/{id}/change-requests/{number}',
};

/** Ids of all routes, in the page. */
const routesOfPage = 'Object.keys(__TSR_ROUTER__.routesById)';

/** Returns an address that a route leads to. An address is named like the API's resource, whose fixture has an instance. */
function addressOf(route: string): string {
  const steps = route.split('/').filter((step) => step !== '' && step !== '$org');
  const filled: string[] = [];
  steps.forEach((step, at) => {
    if (!step.startsWith('$')) return void filled.push(step);
    const place = steps
      .slice(0, at + 1)
      .map((one) => (one.startsWith('$') ? `{${one.slice(1)}}` : one))
      .join('/');
    const value = made.values[names[place] ?? place];
    if (value === undefined) throw new Error(`No fixture has a value for ${place}: add it, or its other name.`);
    filled.push(encodeURIComponent(value));
  });
  return `/console/default/${filled.join('/')}`;
}

const isDrawn = 'document.querySelector("h1, main p") !== null && document.querySelector("[aria-busy=true]") === null';

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

describe('every screen', () => {
  const browser = useConsoleBrowser(() => api);

  test.each(['admin', 'viewer'] as const)(
    'is accessible to the %s in both themes, and offers nothing that is refused',
    async (who) => {
      const { page } = browser;
      await page.emulateMedia({ reducedMotion: 'reduce' });
      const pending = new Set<unknown>();
      const refused: string[] = [];
      page.on('request', (request) => {
        if (!request.url().includes('/stream')) pending.add(request);
      });
      page.on('requestfinished', (request) => void pending.delete(request));
      page.on('requestfailed', (request) => void pending.delete(request));
      page.on('response', (response) => {
        if (response.status() === 403) refused.push(`${page.url()}: ${response.url()}`);
      });
      const settled = async (): Promise<void> => {
        for (let quiet = 0; quiet < 4; quiet += 1) {
          await page.waitForTimeout(50);
          if (pending.size > 0) quiet = 0;
        }
        await expect.poll(() => page.evaluate<boolean>(isDrawn), { timeout: 30_000 }).toBe(true);
      };
      await browser.signIn('/console/default/sessions', `${who}@example.com`);
      await settled();
      const routes = await page.evaluate<string[]>(routesOfPage);
      const screens = routes.filter((route) => route.startsWith('/$org/') && route !== '/$org/');
      expect(screens.length).toBeGreaterThan(15);
      await page.evaluate(axe.source);
      const findings: string[] = [];
      for (const route of screens) {
        await page.evaluate(`__TSR_ROUTER__.history.push(${JSON.stringify(addressOf(route))})`);
        await settled();
        if ((await page.getByText('This is not here.').count()) > 0) findings.push(`${route}: is not here`);
        const found = await look(page);
        await page.evaluate('document.documentElement.dataset.theme = "dark"');
        const inDark = await look(page, 'color-contrast');
        await page.evaluate('document.documentElement.dataset.theme = "light"');
        for (const { id, where } of [...found, ...inDark]) findings.push(`${route} ${id}: ${where}`);
      }
      expect([...findings, ...refused]).toEqual([]);
    },
  );
});
