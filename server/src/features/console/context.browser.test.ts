import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { createPerson, useConsoleBrowser } from './browser-fixture.ts';

const organization = '/v3/organizations/default';
const [ada, viewer] = ['ada@example.com', 'viewer@example.com'];

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  await createPerson(api, ada, 'member');
  await createPerson(api, viewer, 'viewer');
});
afterAll(() => api.close());

const post = async (path: string, body: object) => (await api.call('POST', `${organization}/${path}`, { body })).json;

describe('in a browser', () => {
  const browser = useConsoleBrowser(() => api);
  let page: Page;
  beforeEach(() => {
    page = browser.page;
  });
  const button = (name: string) => page.getByRole('button', { name, exact: true });

  test('a changed trigger changes what a session would get, and a version comes back', async () => {
    await browser.signIn('/console/default/knowledge', ada);
    await page.getByRole('link', { name: 'New note' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill('Migrations');
    await page.getByLabel('When is it useful?').fill('Releasing a version');
    await page.getByLabel('What should an agent know?').fill('One file each.');
    await button('Create the note').click();
    await page.waitForURL(/knowledge\/note_/);
    const tried = page.getByRole('complementary', { name: 'Try' });
    await tried.getByLabel('A session’s prompt').fill('Add a column to the invoices');
    await tried.getByText('It would get no note.').waitFor();
    await button('Keep this prompt for the note').click();
    await tried.getByText('does not get it').waitFor();
    await page.getByLabel('When is it useful?').fill('Adding a column of the invoices');
    await button('Save the note').click();
    await tried.getByText('gets it', { exact: true }).waitFor();
    await tried.getByRole('heading', { name: 'It would get 1' }).waitFor();
    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByRole('navigation', { name: 'Versions' }).getByRole('button').last().click();
    await page.waitForURL(/rev=1/);
    await button('Restore this version').click();
    await page.getByText('version 3', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Note' }).click();
    await expect.poll(() => page.getByLabel('When is it useful?').inputValue()).toBe('Releasing a version');
    await tried.getByText('does not get it').waitFor();
  });

  test('two people change a note at once: neither text is lost', async () => {
    const { note_id: id } = await post('knowledge/notes', { name: 'Shared', trigger: 'sharing', body: 'Before.' });
    await browser.signIn(`/console/default/knowledge/${String(id)}`, ada);
    const body = page.getByLabel('What should an agent know?');
    await body.fill('Mine.');
    await api.call('PATCH', `${organization}/knowledge/notes/${String(id)}`, { body: { body: 'Theirs.' } });
    await button('Save the note').click();
    await page.getByRole('region', { name: 'Changed meanwhile' }).waitFor();
    expect(await body.inputValue()).toBe('Mine.');
    await button('Keep mine, and save over it').click();
    await button('Save the note').click();
    await page.getByText('version 3', { exact: true }).waitFor();
  });

  test('secrets come from a pasted .env file, and nobody can read them afterwards', async () => {
    await post('secrets', { key: 'DATABASE_URL', value: 'before-the-paste' });
    await browser.signIn('/console/default/secrets/paste', ada);
    const text = 'NPM_TOKEN="hidden-4711"\nDATABASE_URL=hidden-4712 # new\n1BAD=hidden-4713\nLEFT=hidden-4714';
    await page.getByLabel('The text of a .env file').fill(text);
    await button('Read it').click();
    const rows = page.getByRole('list', { name: 'Variables' }).getByRole('listitem');
    await rows.filter({ hasText: 'replaces version 1' }).waitFor();
    await page.getByRole('checkbox', { name: 'LEFT' }).uncheck();
    expect(await page.getByRole('checkbox', { name: '1BAD' }).isDisabled()).toBe(true);
    expect(await page.content()).not.toContain('hidden-471');
    await button('Store 2 secrets').click();
    await expect.poll(() => rows.filter({ hasText: 'stored' }).count()).toBe(2);
    const { json } = await api.call('GET', `${organization}/secrets`);
    expect(JSON.stringify(json)).toMatch(/"DATABASE_URL".*"version":2/);
    expect(JSON.stringify(json)).not.toMatch(/hidden-471|LEFT|1BAD/);
    await page.getByRole('link', { name: 'its page' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'NPM_TOKEN' }).waitFor();
    await page.getByText('nobody can read it here').waitFor();
    await button('Replace the value').click();
    await page.getByLabel('New value').fill('hidden-4715');
    await button('Replace the value').click();
    await page.getByText('version 2; nobody').waitFor();
    expect(await page.content()).not.toContain('hidden-471');
    const stored = await page.evaluate(() => JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]));
    expect(stored).not.toContain('hidden-471');
  });

  test('a repository is created, shows how to push to it, and keeps its check', async () => {
    await browser.signIn('/console/default/repositories/new', ada);
    await page.getByLabel('Name', { exact: true }).fill('not a name');
    await button('Create the repository').click();
    await page
      .getByText(/must match|must be/)
      .first()
      .waitFor();
    await page.getByLabel('Name', { exact: true }).fill('acme/shop');
    await page.getByLabel('Check').fill('npm test');
    await button('Create the repository').click();
    await page.waitForURL(/repositories\/repo_/);
    await button('Show how to push').click();
    const { json } = await api.call('GET', `${organization}/repositories`);
    const [repository] = Array.isArray(json['items']) ? json['items'] : [];
    const push = page.getByLabel('Push what you have');
    expect(await push.textContent()).toContain(`git remote add guildhall ${String(repository.clone_url)}`);
    await page.getByRole('tab', { name: 'Settings' }).click();
    expect(await page.getByLabel('Check').inputValue()).toBe('npm test');
    await page.getByLabel('Check').fill('npm run check');
    await button('Save').click();
    await page.getByText('Saved.').first().waitFor();
    await page.reload();
    await expect.poll(() => page.getByLabel('Check').inputValue()).toBe('npm run check');
  });

  test('a viewer reads everything, and is offered nothing that would be refused', async () => {
    const { note_id: noteId } = await post('knowledge/notes', {
      name: 'To read',
      trigger: 'reading',
      body: '**Bold** text',
    });
    const { id: secretId } = await post('secrets', { key: 'READ_ONLY', value: 'x' });
    const { id: repoId } = await post('repositories', { provider: 'local', repo: 'acme/read' });
    await browser.signIn('/console/default/knowledge', viewer);
    const pages = [
      ['knowledge', 'To read'],
      [`knowledge/${String(noteId)}`, 'Bold'],
      ['knowledge/suggestions', 'No suggestion waits.'],
      ['secrets', 'READ_ONLY'],
      [`secrets/${String(secretId)}`, 'No session had it yet.'],
      ['repositories', 'acme/read'],
      [`repositories/${String(repoId)}?tab=settings`, 'Changing them takes'],
      ['secrets/new', 'This page takes the permission secrets:write.'],
      ['secrets/paste', 'This page takes the permission secrets:write.'],
      ['knowledge/new', 'This page takes the permission memory:write.'],
      ['knowledge/import', 'This page takes the permission memory:write.'],
      ['repositories/new', 'This page takes the permission repos:write.'],
    ];
    for (const [path, shown] of pages) {
      await page.goto(`${api.url}/console/default/${String(path)}`);
      await page.getByText(String(shown)).first().waitFor();
      const main = page.getByRole('main');
      const offered = /new (note|secret|repository|session)|import|paste|delete|save|replace the value|accept|restore/i;
      expect(await main.getByRole('button', { name: offered }).count(), path).toBe(0);
      expect(await main.getByRole('link', { name: offered }).count(), path).toBe(0);
      expect(await main.getByRole('button', { name: /^More about/ }).count(), path).toBe(0);
    }
  });
});
