import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { startTestWorker, type TestWorker } from '../../../test/support/worker.ts';
import { lookInBothThemes } from './axe-fixture.ts';
import { useConsoleBrowser } from './browser-fixture.ts';

const password = 'violet-anvil-harbour-92';

let api: TestApi;
let worker: TestWorker;
beforeAll(async () => {
  api = await startTestApi();
  worker = await startTestWorker(api.ctx, api.url);
});
afterAll(async () => {
  await worker.close();
  await api.close();
});

describe('on fresh data, by keyboard alone', () => {
  const browser = useConsoleBrowser(() => api);
  let page: Page;
  beforeEach(async () => {
    page = browser.page;
    await page.emulateMedia({ reducedMotion: 'reduce' });
  });

  const hasFocus = async (control: Locator) => (await control.and(page.locator(':focus')).count()) === 1;

  /** Presses Tab until a control has the focus. */
  async function tabTo(control: Locator): Promise<void> {
    await control.waitFor();
    for (let presses = 0; presses < 100; presses += 1) {
      if (await hasFocus(control)) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`Tab does not lead to ${String(control)}.`);
  }

  async function press(control: Locator): Promise<void> {
    await tabTo(control);
    await page.keyboard.press('Enter');
  }

  /** Replaces what a field holds. */
  async function type(field: Locator, text: string): Promise<void> {
    await tabTo(field);
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(text);
  }

  test('the administrator key leads to a password, an example, its first session, Verified, and a merge', async () => {
    await page.goto(`${api.url}/`);
    await page.getByRole('heading', { name: 'Welcome to Guildhall' }).waitFor();
    const [key, first] = [page.getByLabel('Administrator key'), page.getByLabel('New password')];
    await expect.poll(() => hasFocus(key)).toBe(true);
    await type(key, 'guild_wrong');
    await type(first, password);
    await page.keyboard.press('Enter');
    await page.getByText('This is not a key of this installation.').waitFor();
    const note = (await key.getAttribute('aria-describedby')) ?? '';
    expect(await page.locator(`[id="${note}"]`).textContent()).toMatch(/^This is not a key of this installation/);
    expect([await key.getAttribute('aria-invalid'), await hasFocus(key)]).toEqual(['true', true]);
    await type(key, ` ${api.adminKey}`);
    await type(first, 'password1234');
    await page.keyboard.press('Enter');
    await page.getByText('is easy to guess').waitFor();
    expect(await lookInBothThemes(page, 'the first password')).toEqual([]);
    await type(first, password);
    await page.keyboard.press('Enter');
    await page.getByText('admin@localhost').waitFor();
    await expect.poll(() => hasFocus(page.getByRole('link', { name: 'To the first steps' }))).toBe(true);
    await page.keyboard.press('Enter');

    await page.getByText('1 of 4 done').waitFor();
    expect(await lookInBothThemes(page, 'the first steps')).toEqual([]);
    await press(page.getByRole('button', { name: 'Create the example' }));
    await page.getByText('2 of 4 done').waitFor();
    expect(await page.getByRole('button', { name: 'built-in agent' }).count()).toBe(0);
    await press(page.getByRole('button', { name: 'Fix the example with a script' }));

    await page.waitForURL(/\/sessions\/ses_/);
    await page.getByText('Verified', { exact: true }).first().waitFor();
    const session = /ses_\w+/.exec(page.url())?.[0];
    await press(page.getByRole('button', { name: 'Merge #1' }));
    const dialog = page.getByRole('dialog').or(page.getByRole('alertdialog'));
    await press(dialog.getByRole('button', { name: 'Merge' }));
    await dialog.waitFor({ state: 'detached' });
    const change = '{"id": "chr_second", "number": 2, "state": "open", "merged_at": null}';
    await api.ctx.db.pool.query(
      'insert into change_requests select (jsonb_populate_record(c, $1)).* from change_requests c',
      [change],
    );
    await page.goBack();
    await page.getByText('All done.').waitFor();
    expect(await page.getByRole('link', { name: 'Review change request #2' }).count()).toBe(0);
    const { json } = await api.call('GET', '/v3/organizations/default/change-requests?state=merged');
    expect(json['items']).toMatchObject([{ repo: 'example/greeting', number: 1, state: 'merged' }]);
    expect(await lookInBothThemes(page, 'all steps done')).toEqual([]);

    await press(page.getByRole('button', { name: 'Sign out' }));
    await page.waitForURL(/\/sign-in$/);
    await type(page.getByLabel('E-mail'), 'admin@localhost');
    await type(page.getByLabel('Password'), 'not the password');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await lookInBothThemes(page, 'a refused sign-in')).toEqual([]);
    await type(page.getByLabel('Password'), password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor();
    const archived = await api.call('POST', `/v3/organizations/default/sessions/${String(session)}/archive`);
    expect(archived.json).toMatchObject({ archived: true });
    await press(page.getByRole('link', { name: 'Show archived sessions' }));
    await page.getByRole('link', { name: 'greet() throws a ReferenceError' }).waitFor();
  });

  test("an invitation's link leads to a name, a password and the organization; used, it says so", async () => {
    const body = { emails: ['grace@example.com'], permission: 'viewer' };
    const { text } = await api.call('POST', '/v3/organizations/default/members/invites', { body });
    const link = /https?:[^"]*\/invites\/[\w-]{43}/.exec(text)?.[0] ?? '';
    await page.goto(link);
    await page.getByRole('heading', { name: 'Join Default' }).waitFor();
    await page.getByText('grace@example.com').waitFor();
    await type(page.getByLabel('Your name'), 'Grace');
    await type(page.getByLabel('A password'), 'short');
    await page.keyboard.press('Enter');
    await page.getByText('at least 12 characters').last().waitFor();
    expect(await lookInBothThemes(page, 'an invitation')).toEqual([]);
    await type(page.getByLabel('A password'), password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor();
    await page.getByRole('link', { name: 'Grace' }).waitFor();
    await page.goto(link);
    await page.getByRole('heading', { name: 'no longer valid' }).waitFor();
    expect(await lookInBothThemes(page, 'a used invitation')).toEqual([]);
  });
});
