import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createRuntimeFixture, type RuntimeFixture, type TestRepository } from '../../../test/support/sessions.ts';
import { startIndexing } from '../repositories/code-index/jobs.ts';
import { startReviews } from '../reviews/jobs.ts';
import { lookInBothThemes } from './axe-fixture.ts';
import { createPerson, useConsoleBrowser } from './browser-fixture.ts';

const email = 'ada@example.com';
const viewer = 'vera@example.com';
const files = {
  'src/shop.js': 'exports.price = (item) => item.price;\n',
  'src/cart.ts': 'export class Cart {\n  addItem(id: string) {\n    return id;\n  }\n}\n',
  'bin/run.sh': '#!/bin/sh\necho start\n',
};
/** Breaks two languages, for a reviewer that needs no model. */
const work = [
  `printf 'exports.price = (item) => item.price;\\nexports.sum = (items) => items.reduce((a, b) => a + b.price, 0;\\n' > src/shop.js`,
  `printf '#!/bin/sh\\necho start\\necho $1\\n' > bin/run.sh`,
];

let fixture: RuntimeFixture;
let repository: TestRepository;
beforeAll(async () => {
  fixture = await createRuntimeFixture();
  startReviews(fixture.api.ctx);
  startIndexing(fixture.api.ctx);
  await fixture.worker();
  await createPerson(fixture.api, email, 'admin');
  await createPerson(fixture.api, viewer, 'viewer');
  repository = await fixture.repository(files);
});
afterAll(() => fixture.close());

describe('the code of a repository', () => {
  const browser = useConsoleBrowser(() => fixture.api);
  let page: Page;
  beforeEach(async () => {
    page = browser.page;
    await page.emulateMedia({ reducedMotion: 'reduce' });
  });
  const main = () => page.getByRole('main');
  const button = (name: string) => main().getByRole('button', { name, exact: true });

  async function findingsOf(): Promise<{ in_diff: boolean }[]> {
    const at = '/v3/organizations/default/reviews';
    const { json } = await fixture.api.call('GET', at);
    const { json: found } = await fixture.api.call('GET', `${at}/${String(Object(json['items'])[0].id)}/findings`);
    return Object(found['items']);
  }

  test('is reviewed as its policy says: findings stand at their lines, are dismissed with a reason, and fixed', async () => {
    await fixture.run({ repository, agent: { steps: work.map((run) => ({ run })), summary: 'Adds a sum.' } });
    await browser.signIn(`/console/default/repositories/${repository.id}?tab=reviews`, email);
    await main().getByRole('link', { name: 'settings of the organization' }).waitFor();
    await page.getByLabel('Request changes from severity').selectOption('high');
    await page.getByLabel('Review what sessions proposed, too').check();
    await page.getByLabel('Muted categories').fill('style\n\n naming');
    await button('Save').click();
    await page.getByText('Saved. Reviews that start from now on follow it.').first().waitFor();
    await main().getByText('Saving makes them the repository’s own').waitFor({ state: 'detached' });
    const policy = await fixture.api.call('GET', `/v3/organizations/default/reviews/policies/${repository.id}`);
    expect(policy.json).toMatchObject({ own_changes: true, muted_categories: ['style', 'naming'] });
    expect(await lookInBothThemes(page, 'a review policy')).toEqual([]);

    const request = `/console/default/repositories/${repository.id}/change-requests/1`;
    await page.goto(`${fixture.api.url}${request}?tab=review`);
    await main().getByText('No review has read this change.').waitFor();
    await button('With instructions').click();
    await page.getByRole('textbox', { name: 'What should the review look at?' }).fill('The brackets.');
    await button('Start a review').click();
    const strip = main().getByRole('region', { name: 'Review', exact: true });
    await strip.getByText('Requests changes').waitFor();
    await strip.getByRole('link', { name: /open findings$/ }).waitFor();
    const found = await findingsOf();
    expect(await strip.innerText()).toContain(`${found.length} open findings`);
    await main().getByText('What it was told').click();
    await main().getByText('The brackets.').waitFor();
    const findings = main().getByRole('region', { name: 'Findings' });
    await findings.getByText('on the head, 0 on the base').first().waitFor();
    await findings.getByText('reproduced', { exact: true }).first().waitFor();
    await main().getByText('Posted on the change request').waitFor();
    expect(await lookInBothThemes(page, 'a review')).toEqual([]);

    // A finding leads to its line in the change.
    await findings.getByRole('link', { name: 'src/shop.js:2' }).first().click();
    await page.waitForURL(/file=src.*&l=/);
    const atLine = main().getByRole('group').filter({ hasText: '100 % sure' });
    await atLine.first().waitFor();
    expect(await atLine.count()).toBe(found.filter((one) => one.in_diff).length);
    expect(await lookInBothThemes(page, 'findings in a change')).toEqual([]);
    const dismiss = atLine.filter({ hasText: 'SyntaxError' }).first().getByRole('button', { name: 'Dismiss' });
    const why = page.getByRole('textbox', { name: 'Why is it dismissed?' });
    // A diff that is drawn again takes the button, and a click on it, away.
    await vi.waitFor(async () => {
      if (!(await why.isVisible())) await dismiss.click();
      await why.waitFor({ timeout: 5_000 });
    }, 60_000);
    await why.fill('A script of the tests.');
    await page.keyboard.press('Control+Enter');
    await strip.getByRole('link', { name: `${found.length - 1} open of ${found.length} findings` }).click();
    await findings.getByText('dismissed').first().waitFor();
    await findings.getByRole('button', { name: 'Fix with a session' }).first().click();
    await findings.getByRole('link', { name: 'The session that fixes it' }).click();
    await page.waitForURL(/\/sessions\/ses_/);

    await page.getByRole('navigation', { name: 'Organization' }).getByRole('link', { name: 'Reviews' }).click();
    const row = main().getByRole('row', { name: `${repository.repo} #1` });
    await row.getByText('Requests changes').waitFor();
    await row.getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: `Review of ${repository.repo} #1` }).waitFor();
    await main().getByText('A script of the tests.').waitFor({ state: 'attached' });

    await page.goto(`${fixture.api.url}/console/default/metrics?what=reviews`);
    await main()
      .getByText(/1 of \d posted/)
      .first()
      .waitFor();
    await main().getByRole('region', { name: 'Outcomes by repository' }).getByText(repository.repo).waitFor();
    expect(await lookInBothThemes(page, 'outcomes of reviews')).toEqual([]);
  });

  test('is searched for text and paths, and for symbols once its index is built', async () => {
    await browser.signIn(`/console/default/repositories/${repository.id}`, email);
    await page.getByRole('tab', { name: 'Search' }).click();
    const field = page.getByRole('searchbox', { name: 'Search the code' });
    await field.fill('item.PRICE');
    await page.keyboard.press('Enter');
    await main().getByText('Nothing in the repository fits').waitFor();
    await field.fill('item.price');
    await page.keyboard.press('Enter');
    await main().getByText('1 result in 1 file').waitFor();
    const file = main().getByRole('article', { name: 'src/shop.js' });
    await file.getByRole('listitem').filter({ hasText: 'exports.price' }).waitFor();
    expect(await file.locator('mark').allInnerTexts()).toEqual(['item.price']);
    await button('Symbols').click();
    await main()
      .getByText(/there is none yet/)
      .waitFor();
    await button('Build the index').click();
    const index = main().getByRole('region', { name: 'Index' });
    await index.getByText('Indexed', { exact: true }).waitFor();
    await field.fill('additem');
    await page.keyboard.press('Enter');
    const found = main().getByRole('article', { name: 'src/cart.ts' }).getByRole('listitem');
    await found.filter({ hasText: 'in Cart' }).waitFor();
    expect(await lookInBothThemes(page, 'a search')).toEqual([]);
    await button('Paths').click();
    await page.waitForURL(/kind=path/);
    await field.fill('CART');
    await page.keyboard.press('Enter');
    await main().getByRole('article', { name: 'src/cart.ts' }).waitFor();
    await button('More about the index').click();
    await page.getByRole('menuitem', { name: 'Delete the index …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the index' }).click();
    await index.getByText('No index').waitFor();
  });

  test('shows its policy and search to who may not change them, without their controls', async () => {
    await browser.signIn(`/console/default/repositories/${repository.id}?tab=reviews`, viewer);
    await main().getByText('reviews:write').waitFor();
    expect(await main().getByRole('button').count()).toBe(0);
    await page.getByRole('tab', { name: 'Search' }).click();
    await main().getByRole('region', { name: 'Index' }).waitFor();
    expect(await button('Build the index').count()).toBe(0);
  });
});
