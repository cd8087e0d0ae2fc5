import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { createPerson, useConsoleBrowser } from './browser-fixture.ts';

const organization = '/v3/organizations/default';
const email = 'ada@example.com';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  await createPerson(api, email, 'admin');
});
afterAll(() => api.close());

const post = async (path: string, body: object) => (await api.call('POST', path, { body })).json;
const amountOf = async (path: string): Promise<number> => Object((await api.call('GET', path)).json).items.length;

describe('what a person sends', () => {
  const browser = useConsoleBrowser(() => api);
  let page: Page;
  beforeEach(() => {
    page = browser.page;
  });
  const open = (path: string) => browser.signIn(`/console/default/${path}`, email);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const focused = () => page.evaluate<string>('document.activeElement.textContent || document.activeElement.tagName');
  /** Clicks twice before the page is drawn in between. */
  const clickTwice = (name: string) =>
    page.evaluate(`{
      const found = [...document.querySelectorAll('button')].find((one) => one.textContent === ${JSON.stringify(name)});
      found.focus();
      found.click();
      found.click();
    }`);

  test('goes once for two clicks', async () => {
    await open('groups/new');
    await page.getByLabel('Name', { exact: true }).fill('Platform');
    await clickTwice('Create the group');
    await page.waitForURL(/groups\/(?!new)/);
    expect(await amountOf(`${organization}/groups`)).toBe(1);
    await page.goto(`${api.url}/console/default/sessions/new`);
    await page.getByRole('textbox', { name: 'What should be done?' }).fill('Fix the sums');
    await clickTwice('Start session');
    await page.waitForURL(/sessions\/ses_/);
    expect(await amountOf(`${organization}/sessions`)).toBe(1);
  });

  test('leaves the focus on its button, whether it is taken or refused', async () => {
    const { id } = await post(`${organization}/groups`, { name: 'Focus' });
    await open(`groups/${String(id)}`);
    await page.getByLabel('Description').fill('Of the people at the keyboard');
    await button('Save').click();
    await page.getByText('Saved.', { exact: true }).first().waitFor();
    await expect.poll(focused).toBe('Save');
    expect(await button('Save').isDisabled()).toBe(true);
    const automation = await post(`${organization}/automations`, {
      name: 'Nightly',
      action: { prompt_template: 'Update the dependencies' },
      triggers: [],
    });
    await page.goto(`${api.url}/console/default/automations/${String(automation['id'])}?tab=edit`);
    await page.getByLabel('Name', { exact: true }).fill('Each night');
    await button('Save').click();
    await page.getByText('The automation is saved.').first().waitFor();
    await expect.poll(focused).toBe('Save');
    await page.goto(`${api.url}/console/default/webhooks/new`);
    await page.getByLabel('URL').fill('nowhere');
    await button('Create the webhook').click();
    await page.locator('[aria-invalid=true]').waitFor();
    expect(await focused()).not.toBe('BODY');
  });

  test('brings the field that is refused into view', async () => {
    await open('automations/new');
    await page.getByLabel('Name', { exact: true }).fill('Nightly');
    await page.getByLabel('What the session is told').fill('Update the dependencies');
    await page.getByLabel('Cron expression').fill('99 * * *');
    await button('Create the automation').click();
    const field = page.getByLabel('Cron expression');
    await expect.poll(() => field.evaluate('document.activeElement?.name')).toBe('triggers.0.cron');
    const box = await field.boundingBox();
    expect(box?.y).toBeGreaterThan(0);
    expect(box?.y).toBeLessThan(720);
  });

  test('is refused in words of the form, at fields that are folded away as well', async () => {
    await open('sessions/new');
    await page.getByRole('textbox', { name: 'What should be done?' }).fill('Fix the sums');
    await page.getByLabel('Limit of cost, in US dollars').fill('-1');
    await button('Start session').click();
    await page.getByText('The session was not started. Correct what is marked.').waitFor();
    expect(await page.getByText('body.budget').count()).toBe(0);
    await expect.poll(() => page.evaluate('document.activeElement.value')).toBe('-1');
    await page.getByLabel('Limit of cost, in US dollars').fill('');
    await page.evaluate("document.querySelector('main details').open = true");
    await page.getByLabel('Limit of turns').fill('-7');
    await page.evaluate("document.querySelector('main details').open = false");
    await button('Start session').click();
    await expect.poll(() => page.evaluate('document.activeElement.value')).toBe('-7');
  });

  test('stays in the form after the sign-in has ended, and goes after the next one', async () => {
    await open('groups/new');
    await page.getByLabel('Name', { exact: true }).fill('Kept');
    await page.context().clearCookies();
    await button('Create the group').click();
    await page.getByText(/Your sign-in has ended/).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Kept');
    expect(await page.getByRole('link', { name: 'Sign in in a new tab' }).getAttribute('target')).toBe('_blank');
    await browser.signIn('/console/default/groups', email, await browser.tab());
    await button('Create the group').click();
    await page.waitForURL(/groups\/(?!new)/);
  });

  test('stays in settings after the sign-in has ended', async () => {
    await open('settings/sandbox');
    await page.getByLabel('Memory', { exact: true }).fill('2048');
    await page.context().clearCookies();
    await button('Save').click();
    await page
      .getByRole('alert')
      .getByText(/Your sign-in has ended/)
      .waitFor();
    expect(await page.getByLabel('Memory', { exact: true }).inputValue()).toBe('2048');
  });

  test('stays in the form of something that was deleted elsewhere', async () => {
    const { note_id: id } = await post(`${organization}/knowledge/notes`, { name: 'Gone', trigger: 'x', body: 'Old.' });
    await open(`knowledge/${String(id)}`);
    const text = page.getByLabel('What should an agent know?');
    await text.fill('A long text of mine.');
    await api.call('DELETE', `${organization}/knowledge/notes/${String(id)}`);
    await button('Save the note').click();
    await page
      .getByRole('alert')
      .getByText(/^No knowledge note.* Copy what you entered/)
      .waitFor();
    expect(await text.inputValue()).toBe('A long text of mine.');
  });

  test('is for the program of the agent that the address names', async () => {
    const { id } = await post('/agents', {
      name: 'Steps',
      runtime: 'script',
      runtime_config: { steps: [{ run: 'true' }], summary: 'Done.' },
    });
    await open(`agents/${String(id)}`);
    const program = page.getByLabel('Program');
    await program.getByRole('option', { name: 'Built-in agent' }).waitFor({ state: 'attached' });
    expect(await program.inputValue()).toBe('script');
  });
});
