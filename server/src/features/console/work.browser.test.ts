import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { createGitUser, withKey, type GitUser } from '../../../test/support/git.ts';
import { sessionIn } from '../../../test/support/session-states.ts';
import { createPerson, useConsoleBrowser } from './browser-fixture.ts';

const email = 'ada@example.com';
const base = '/v3/organizations/default';

let api: TestApi;
let ada: GitUser;
beforeAll(async () => {
  api = await startTestApi();
  ada = await createGitUser();
  await createPerson(api, email, 'member');
});
afterAll(async () => {
  await ada.close();
  await api.close();
});

/** Creates a repository of two commits: what is on `main`, and what is on the branch `fix`. */
async function createRepository(
  repo: string,
  before: Record<string, string>,
  after: Record<string, string>,
): Promise<void> {
  const { json } = await api.call('POST', `${base}/repositories`, { body: { provider: 'local', repo } });
  const url = withKey(String(json['clone_url']), api.adminKey);
  const work = await ada.start(before);
  await ada.git(work, 'push', '-q', url, 'main');
  await ada.git(work, 'checkout', '-q', '-b', 'fix', 'main');
  await ada.commit(work, after, 'Fix it');
  await ada.git(work, 'push', '-q', url, 'fix');
}

describe('work in a browser', () => {
  const browser = useConsoleBrowser(() => api);
  let page: Page;
  beforeEach(() => {
    page = browser.page;
  });

  test('many sessions are archived at once, and each that is refused says why', async () => {
    await sessionIn(api, 'completed', { prompt: 'Bulk: done' });
    await sessionIn(api, 'canceled', { prompt: 'Bulk: canceled' });
    await sessionIn(api, 'running', { prompt: 'Bulk: still runs' });
    await browser.signIn('/console/default/sessions?view=table&q=Bulk', email);
    await page.getByRole('checkbox', { name: 'Select Bulk: done' }).waitFor();
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    const bar = page.getByRole('region', { name: 'Selection' });
    await bar.getByText('3 selected').waitFor();
    await bar.getByRole('button', { name: 'Archive' }).click();
    await bar.getByText('2 of 3 archived. Not these:').waitFor();
    expect(await bar.getByRole('alert').getByRole('listitem').allTextContents()).toEqual([
      expect.stringMatching(/^Bulk: still runs: .+/),
    ]);
    await page.getByRole('link', { name: 'Bulk: done' }).waitFor({ state: 'detached' });
    await bar.getByText('1 selected').waitFor();
  });

  test('a list is searched after a pause in typing, and the field keeps the focus', async () => {
    await sessionIn(api, 'completed', { prompt: 'Typed: invoices' });
    await sessionIn(api, 'completed', { prompt: 'Typed: receipts' });
    await browser.signIn('/console/default/sessions?view=table&q=Typed', email);
    const found = (name: string) => page.getByRole('link', { name: `Typed: ${name}` });
    await found('receipts').waitFor();
    const asked = new Set<string | null>();
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.endsWith('/sessions')) asked.add(searchParams.get('search'));
    });
    const length = await page.evaluate<number>('history.length');
    const field = page.getByRole('searchbox');
    await field.focus();
    // All keys before the pause is over, however slow the machine is.
    await page.evaluate(`for (const key of ': inv') document.execCommand('insertText', false, key)`);
    await found('receipts').waitFor({ state: 'detached' });
    await found('invoices').waitFor();
    // What was found before may be read again; no search is for a part of what was typed.
    expect([...asked].filter((search) => search !== 'Typed')).toEqual(['Typed: inv']);
    expect(new URL(page.url()).searchParams.get('q')).toBe('Typed: inv');
    await page.keyboard.type('oices');
    await page.waitForURL(/invoices/);
    expect(await field.inputValue()).toBe('Typed: invoices');
    expect(await page.evaluate<number>('history.length')).toBe(length);
    await page.getByRole('link', { name: 'Board' }).click();
    await page.goBack();
    await page.waitForURL(/invoices/);
    expect(await field.inputValue()).toBe('Typed: invoices');
  });

  test('filters are saved under a name, and the view leads back to them', async () => {
    await browser.signIn('/console/default/sessions?view=table&tag=nightly', email);
    await page.getByRole('button', { name: 'Tag: nightly' }).waitFor();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('textbox', { name: 'Save what is shown now' }).fill('Nightly runs');
    await page.keyboard.press('Enter');
    await page.waitForURL(/saved=/);
    const saved = /saved=([^&]+)/.exec(page.url())?.[1];
    await page.goto(`${api.url}/console/default/sessions?saved=${saved}`);
    await page.waitForURL(/tag=nightly/);
    await page.getByRole('button', { name: 'Nightly runs' }).waitFor();
  });

  test('a session is started with a file, a named path and a branch', async () => {
    const files = { 'src/invoices.ts': 'export {};\n', 'README.md': 'x\n' };
    await createRepository('acme/billing', files, { 'src/invoices.ts': 'export const due = 1;\n' });
    await browser.signIn('/console/default/sessions/new?repo=acme/billing', email);
    const prompt = page.getByRole('textbox', { name: 'What should be done?' });
    await prompt.pressSequentially('Add a due date to @invo');
    await page.getByRole('option', { name: 'src/invoices.ts' }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => prompt.inputValue()).toBe('Add a due date to @src/invoices.ts ');
    await page
      .getByLabel('Files to attach')
      .setInputFiles({ name: 'spec.txt', mimeType: 'text/plain', buffer: Buffer.from('due in 30 days') });
    await page.getByRole('button', { name: 'Remove spec.txt' }).waitFor();
    await page.getByRole('combobox', { name: 'Branch, tag or commit' }).fill('fix');
    await page.reload();
    expect(await prompt.inputValue()).toBe('Add a due date to @src/invoices.ts ');
    await page.getByRole('button', { name: 'Remove spec.txt' }).waitFor();
    await page.getByRole('button', { name: 'Start session' }).click();
    await page.waitForURL(/sessions\/ses_/);
    const id = /ses_\w+/.exec(page.url())?.[0] ?? '';
    const { json } = await api.call('GET', `${base}/sessions/${id}`);
    expect(json).toMatchObject({ repositories: [{ repo: 'acme/billing', base_ref: 'fix' }] });
    const messages = Object((await api.call('GET', `${base}/sessions/${id}/messages`)).json);
    expect(messages.items[0]).toMatchObject({ attachment_ids: [expect.stringMatching(/^att_/)] });
  });

  test('by keys alone: the palette finds a session, lists are walked, letters are off in fields', async () => {
    const { id } = await sessionIn(api, 'waiting', { prompt: 'Zebra crossing in the palette' });
    const { id: second } = await sessionIn(api, 'waiting', { prompt: 'Zebra, the second one' });
    await browser.signIn('/console/default/sessions?view=table&q=Zebra', email);
    await page.getByRole('link', { name: 'Zebra crossing in the palette' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`sessions/${id}`));
    await page.getByRole('heading', { level: 1, name: 'Zebra crossing in the palette' }).waitFor();
    // Two keys are one sequence only within a second, which a busy machine may miss.
    await expect
      .poll(async () => {
        await page.keyboard.press('g');
        await page.keyboard.press('c');
        return page.url();
      })
      .toMatch(/default\/change-requests$/);
    const palette = page.getByRole('combobox', { name: 'Search and do' });
    // A page that is only just drawn hears no keys yet.
    await expect
      .poll(async () => {
        if (!(await palette.isVisible())) await page.keyboard.press('Control+k');
        return palette.isVisible();
      })
      .toBe(true);
    await page.keyboard.type('zebra sec');
    await page.getByRole('option', { name: /Zebra, the second one/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`sessions/${second}`));
    await page.goto(`${api.url}/console/default/sessions?view=table`);
    await page.getByRole('searchbox').waitFor();
    // A page that is only just drawn hears no keys yet.
    await expect
      .poll(async () => {
        await page.keyboard.press('/');
        return page.evaluate('document.activeElement?.type');
      })
      .toBe('search');
    await page.keyboard.type('cute');
    expect(await page.getByRole('searchbox').inputValue()).toBe('cute');
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('New session').waitFor();
    await page.getByRole('checkbox', { name: /Single letters/ }).uncheck();
    await page.keyboard.press('Escape');
    await page.keyboard.press('c');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search and do' }).waitFor();
    expect(page.url()).toContain('view=table');
  });
});
