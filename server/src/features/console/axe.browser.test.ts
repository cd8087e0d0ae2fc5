import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { madeIn } from '../../../test/support/fixture.ts';
import { stock, type Inventory } from '../../../test/support/inventory.ts';
import { lookInBothThemes } from './axe-fixture.ts';
import { createPerson, useConsoleBrowser } from './browser-fixture.ts';
import { makeSession } from './made-session-fixture.ts';
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

/** Looks at the first menu of a page, if it has one. */
async function lookAtMenu(page: Page, what: string): Promise<string[]> {
  const button = page.locator('main [aria-haspopup=menu]').first();
  if ((await button.count()) === 0) return [];
  await button.click();
  await page.getByRole('menu').waitFor();
  const found = await lookInBothThemes(page, `${what}, its menu`, '[role=menu]');
  await page.keyboard.press('Escape');
  return found;
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
      const findings: string[] = [];
      for (const route of screens) {
        await goTo(addressOf(route, made.values));
        if ((await page.getByText('This is not here.').count()) > 0) findings.push(`${route}: is not here`);
        findings.push(...(await lookInBothThemes(page, route)));
        if (who === 'viewer') continue;
        findings.push(...(await lookAtMenu(page, route)));
        findings.push(...(await problemsOnPhone(page)).map((problem) => `${route}: ${problem}`));
      }
      expect([...findings, ...refused]).toEqual([]);
    },
    600_000,
  );

  test('on a phone, the time of a delivery or a run stands below what it is', async () => {
    const page = await browser.another({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await browser.signIn('/console/default/sessions', 'viewer@example.com', page);
    const { goTo } = screensIn(page);
    for (const [route, table, column] of [
      ['/$org/webhooks/$id', 'Deliveries', 'When'],
      ['/$org/automations/$id', 'Runs', 'Created'],
    ] as const) {
      await goTo(addressOf(route, made.values));
      const rows = page.getByRole('table', { name: table });
      await rows.getByRole('cell').first().getByRole('time').waitFor();
      expect(await rows.getByRole('columnheader', { name: column }).count()).toBe(0);
    }
  });

  test('a viewer gets everywhere by the navigation, and is told what is missing and what is not there', async () => {
    const { page } = browser;
    const { key, slug } = await api.createOrganization('Other');
    const { json } = await api.call('POST', `/v3/organizations/${slug}/sessions`, { key, body: { prompt: 'Secret' } });
    await browser.signIn('/console/default/sessions', 'viewer@example.com');
    const { goTo, settled } = screensIn(page);
    await settled();
    const links = page.getByRole('navigation', { name: 'Organization' }).getByRole('link');
    expect(await links.count()).toBeGreaterThan(15);
    for (const link of await links.all()) {
      await link.click();
      await settled();
      expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    }
    await goTo('/console/default/sessions/new');
    await page.getByText('This page takes the permission run.').waitFor();
    await goTo(`/console/default/sessions/${String(json['id'])}`);
    await page.getByText('This is not here.').waitFor();
    await goTo(`/console/${slug}/sessions`);
    await page.getByText('This is not here.').waitFor();
  });

  test('the palette, dialogs, panels and lines of code are accessible in both themes', async () => {
    const { page } = browser;
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const session = await makeSession(api, 'Something of everything');
    const agent = madeIn(made, 'agents/{agent_id}');
    await api.call('PATCH', `/agents/${agent}`, { body: { system_prompt: 'Take small steps.' } });
    await browser.signIn('/console/default/sessions', 'admin@example.com');
    const { goTo, settled } = screensIn(page);
    await settled();
    const findings: string[] = [];
    const at = async (what: string, within = '') => findings.push(...(await lookInBothThemes(page, what, within)));
    const panel = async (name: string) => {
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByRole('dialog').waitFor();
      await at(name, '[role=dialog]');
      await page.keyboard.press('Escape');
    };
    await panel('Filter');
    await panel('Views');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search and do' }).fill('something');
    await page.getByRole('option', { name: /Something of everything/ }).waitFor();
    await at('the palette', 'dialog');
    await page.keyboard.press('Escape');
    // Until it is gone, a key is a letter in its field.
    await page.getByRole('combobox', { name: 'Search and do' }).waitFor({ state: 'hidden' });
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await at('the keys', 'dialog');
    await page.keyboard.press('Escape');
    await goTo(`/console/default/sessions/${session.id}?tab=changes&file=src/invoices.ts`);
    await page.getByText('addDays').first().waitFor();
    await at('changed lines');
    await page.getByRole('button', { name: 'More about this session' }).click();
    await page.getByRole('menuitem', { name: 'Cancel the session' }).click();
    await page.getByRole('dialog').waitFor();
    await at('a question', 'dialog');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel', exact: true }).click();
    await goTo(`/console/default/agents/${agent}?tab=versions`);
    const hidden = page.getByRole('button', { name: /^Show .* unmodified lines?$/ }).first();
    await hidden.waitFor();
    await at('two versions');
    await hidden.press('Enter');
    await hidden.waitFor({ state: 'detached' });
    expect(findings).toEqual([]);
  });
});
