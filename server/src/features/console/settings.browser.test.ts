import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { createPerson, useConsoleBrowser } from './browser-fixture.ts';

const admin = 'ada@example.com';
const viewer = 'vera@example.com';
const at = '/v3/organizations/default/settings';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  await createPerson(api, admin, 'admin');
  await createPerson(api, viewer, 'viewer');
  await api.call('POST', '/v3/organizations/default/secrets', { body: { key: 'MODEL_KEY', value: 'sk-1' } });
});
afterAll(() => api.close());

const valueOf = async (namespace: string) => Object((await api.call('GET', `${at}/${namespace}`)).json['value']);

describe('settings', () => {
  const browser = useConsoleBrowser(() => api);
  beforeEach(async () => {
    for (const namespace of ['sandbox', 'models', 'budgets', 'notifications'])
      await api.call('DELETE', `${at}/${namespace}`);
  });

  test('are changed by a form: the bar says what changes, ⌘S saves it, a default comes back', async () => {
    await browser.signIn('/console/default/settings', admin);
    const { page } = browser;
    await page.getByRole('list', { name: 'Settings' }).getByRole('link', { name: 'Sandbox' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sandbox' }).waitFor();
    await page.getByText(/0.1 to 256, default 2/).waitFor();
    const bar = page.getByRole('region', { name: 'Changes' });
    await page.getByLabel('Processors', { exact: true }).fill('4');
    await page.getByRole('radio', { name: 'allowlist' }).check({ force: true });
    const hosts = page.getByRole('textbox', { name: 'Allowed hosts' });
    await hosts.fill('api.example.com');
    await hosts.press('Enter');
    await hosts.fill('b.example.com');
    await bar.getByText('3 changes').waitFor();
    await bar.getByText('2 cores → 4 cores').waitFor();
    // What is half written is saved, too.
    await page.keyboard.press('Control+s');
    await bar.waitFor({ state: 'detached' });
    expect(await valueOf('sandbox')).toMatchObject({
      cpu: 4,
      network: 'allowlist',
      allowed_hosts: ['api.example.com', 'b.example.com'],
    });
    await page.getByText(/last changed by Person/).waitFor();
    await page.getByRole('button', { name: 'Processors: back to the default' }).click();
    await page.getByRole('button', { name: 'Remove b.example.com' }).click();
    await bar.getByRole('button', { name: /Save/ }).click();
    await bar.waitFor({ state: 'detached' });
    const { json } = await api.call('GET', `${at}/sandbox`);
    expect([json['set_keys'], Object(json['value']).cpu]).toEqual([['network', 'allowed_hosts'], 2]);
    await page.reload();
    await page.getByText('api.example.com').first().waitFor();
    expect(await page.getByText('b.example.com').count()).toBe(0);
  });

  test('that the API refuses stay as they are entered, and the problem stands at its field', async () => {
    await browser.signIn('/console/default/settings/models', admin);
    const { page } = browser;
    const providers = page.getByRole('group', { name: 'Providers' }).first();
    await providers.getByRole('button', { name: 'Add a row' }).click();
    await providers.getByLabel('Name', { exact: true }).fill('house');
    await providers.getByLabel('Kind').selectOption('openai_compatible');
    await providers.getByLabel('Secret').selectOption('MODEL_KEY');
    const prices = page.getByRole('group', { name: 'Prices' }).first();
    await prices.getByRole('button', { name: 'Add a row' }).click();
    await prices.getByLabel('Model').fill('house/coder');
    await prices.getByLabel('Input', { exact: true }).fill('0.5');
    await page.keyboard.press('Control+s');
    await prices
      .getByText(/required|missing/)
      .first()
      .waitFor();
    await prices.getByLabel('Output').fill('2');
    await page.keyboard.press('Control+s');
    await providers.getByText('is required with the kind openai_compatible').waitFor();
    expect(await providers.getByLabel('Name', { exact: true }).inputValue()).toBe('house');
    await providers.getByLabel('URL').fill('https://models.example.com/v1');
    await page.keyboard.press('Control+s');
    await page.getByRole('region', { name: 'Changes' }).waitFor({ state: 'detached' });
    expect(await valueOf('models')).toMatchObject({
      providers: [{ name: 'house', secret: 'MODEL_KEY' }],
      prices: { 'house/coder': { input_per_mtok: 0.5, output_per_mtok: 2, cached_input_per_mtok: 0.5 } },
    });
  });

  test('that somebody else changed meanwhile are compared, and neither change is lost', async () => {
    await browser.signIn('/console/default/settings/sandbox', admin);
    const { page } = browser;
    await page.getByLabel('Processors', { exact: true }).fill('4');
    await page.getByLabel('Memory', { exact: true }).fill('8192');
    await api.call('PUT', `${at}/sandbox`, { body: { memory_mb: 2_048, pids: 64 } });
    await page.keyboard.press('Control+s');
    const conflict = page.getByRole('alert', { name: 'Changed meanwhile' });
    await conflict.getByText('You both changed Memory.').waitFor();
    expect(await conflict.getByRole('row').allInnerTexts()).toEqual([
      expect.stringMatching(/Field/),
      expect.stringMatching(/Processors\s+2 cores\s+as before\s+4 cores/),
      expect.stringMatching(/Memory\s+4\u2009096 MiB\s+2\u2009048 MiB\s+8\u2009192 MiB/),
      expect.stringMatching(/Processes\s+1\u2009024 processes\s+64 processes\s+as before/),
    ]);
    expect(await valueOf('sandbox')).toMatchObject({ cpu: 2, memory_mb: 2_048 });
    await conflict.getByRole('button', { name: 'Keep my changes on top of theirs' }).click();
    await page.keyboard.press('Control+s');
    await page.getByRole('region', { name: 'Changes' }).waitFor({ state: 'detached' });
    expect(await valueOf('sandbox')).toMatchObject({ cpu: 4, memory_mb: 8_192, pids: 64 });
  });

  test('are not left with unsaved changes unless a person says so', async () => {
    await browser.signIn('/console/default/settings/budgets', admin);
    const { page } = browser;
    const perDay = page.getByLabel('Per day', { exact: true });
    await perDay.fill('20');
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Sandbox' }).click();
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect([new URL(page.url()).pathname, await perDay.inputValue()]).toEqual([
      '/console/default/settings/budgets',
      '20',
    ]);
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Sandbox' }).click();
    await dialog.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sandbox' }).waitFor();
    expect(await valueOf('budgets')).toMatchObject({ per_day_usd: null });
  });

  test('are text for who may not change them, with the scope that it takes', async () => {
    await api.call('PUT', `${at}/notifications`, { body: { email: { recipients: ['team@example.com'] } } });
    await browser.signIn('/console/default/settings/notifications', viewer);
    const { page } = browser;
    await page.getByText(/team@example\.com/).waitFor();
    await page.getByText('org:write').waitFor();
    expect(await page.getByRole('main').locator('input, select, textarea, button').count()).toBe(0);
    await page.goto(`${api.url}/console/default/settings/nothing`);
    await page.getByText('This is not here.').waitFor();
  });
});
