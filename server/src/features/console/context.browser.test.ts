import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { addSuggestion } from '../knowledge/public.ts';
import { lookInBothThemes } from './axe-fixture.ts';
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
    expect(await lookInBothThemes(page, 'a note that a session gets')).toEqual([]);
    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByRole('navigation', { name: 'Versions' }).getByRole('button').last().click();
    await page.waitForURL(/rev=1/);
    await button('Restore this version').click();
    await page.getByText('version 3', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Note' }).click();
    await expect.poll(() => page.getByLabel('When is it useful?').inputValue()).toBe('Releasing a version');
    await tried.getByText('does not get it').waitFor();
    expect(await lookInBothThemes(page, 'a note that a session does not get')).toEqual([]);
  });

  test('two people change a note at once: neither text is lost', async () => {
    const { note_id: id } = await post('knowledge/notes', { name: 'Shared', trigger: 'sharing', body: 'Before.' });
    await browser.signIn(`/console/default/knowledge/${String(id)}`, ada);
    const body = page.getByLabel('What should an agent know?');
    await body.fill('Mine.');
    await api.call('PATCH', `${organization}/knowledge/notes/${String(id)}`, { body: { body: 'Theirs.' } });
    await button('Save the note').click();
    await page.getByRole('alert', { name: 'Changed meanwhile' }).waitFor();
    expect(await body.inputValue()).toBe('Mine.');
    await button('Keep my changes on top of theirs').click();
    await button('Save the note').click();
    await page.getByText('version 3', { exact: true }).waitFor();
  });

  test('notes come from Markdown files, and from what a session suggested', async () => {
    const { id: sessionId } = await post('sessions', { prompt: 'Find out' });
    const { json } = await api.call('GET', organization);
    const found = { name: 'Make', trigger: 'Running tests', body: 'make check', repo: 'acme/made' };
    await addSuggestion(api.ctx, String(json['id']), { ...found, sessionId: String(sessionId) });
    await browser.signIn('/console/default/knowledge/import', ada);
    const file = (name: string, text: string) => ({ name, mimeType: 'text/markdown', buffer: Buffer.from(text) });
    const note = file('ports.md', '---\nname: Ports\ntrigger: Starting the server\n---\nPort 0.\n');
    await page.getByLabel('Markdown files').setInputFiles([note, file('broken.md', 'no front matter')]);
    await button('Import').click();
    await page.getByText('1 created, 0 updated, 0 unchanged, 1 failed.').waitFor();
    await page.getByRole('link', { name: 'ports.md' }).click();
    await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('Ports');
    await page.goto(`${api.url}/console/default/knowledge/suggestions`);
    await button('Edit first').click();
    await page.getByLabel('Name', { exact: true }).fill('Make checks');
    await button('Accept it like this').click();
    await page.getByText('No suggestion waits.').waitFor();
    await page.getByRole('tab', { name: 'Accepted' }).click();
    await page.getByRole('link', { name: 'the note' }).click();
    await page.getByRole('heading', { level: 1, name: 'Make checks' }).waitFor();
  });

  test('secrets come from a pasted .env file, and nobody can read them afterwards', async () => {
    await post('secrets', { key: 'DATABASE_URL', value: 'before-the-paste' });
    await browser.signIn('/console/default/secrets/paste', ada);
    const received: Promise<string>[] = [];
    page.on('response', (response) => {
      if (/\/v3\/(?!.*\/stream)/.test(response.url())) received.push(response.text().catch(() => ''));
    });
    const text = 'NPM_TOKEN="hidden-4711"\nDATABASE_URL=hidden-4712 # new\n1BAD=hidden-4713\nLEFT=hidden-4714';
    await page.getByLabel('The text of a .env file').fill(text);
    await button('Read it').click();
    const rows = page.getByRole('list', { name: 'Variables' }).getByRole('listitem');
    await rows.filter({ hasText: 'replaces version 1' }).waitFor();
    await page.getByRole('checkbox', { name: 'LEFT' }).uncheck();
    expect(await page.getByRole('checkbox', { name: '1BAD' }).isDisabled()).toBe(true);
    expect(await page.content()).not.toContain('hidden-471');
    expect(await lookInBothThemes(page, 'pasted variables')).toEqual([]);
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
    const stored = await page.evaluate(() =>
      JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
    );
    expect(stored).not.toContain('hidden-471');
    await page.goto(`${api.url}/console/default/secrets`);
    await page.getByRole('link', { name: 'DATABASE_URL' }).waitFor();
    await page.getByRole('searchbox', { name: 'Search secrets' }).fill('npm_');
    await page.getByRole('link', { name: 'DATABASE_URL' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'NPM_TOKEN' }).waitFor();
    expect(page.url()).toMatch(/\?q=npm_$/);
    const answers = (await Promise.all(received)).join('\n');
    expect(answers).toContain('NPM_TOKEN');
    expect(answers).not.toContain('hidden-471');
    expect(await lookInBothThemes(page, 'the secrets')).toEqual([]);
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

  test('an MCP server gets its secrets by name, and none is readable afterwards', async () => {
    await browser.signIn('/console/default/mcp-servers/new', ada);
    await page.getByLabel('Name', { exact: true }).fill('Issues');
    await page.getByLabel('URL').fill('http://127.0.0.1:1/mcp');
    await page.getByLabel('Headers').fill('Authorization: Bearer ${ISSUES_TOKEN}');
    await button('Create the MCP server').click();
    await page.waitForURL(/mcp-servers\/mcp_/);
    await button('Set ISSUES_TOKEN').click();
    await page.getByLabel('Value of ISSUES_TOKEN').fill('hidden-4716');
    await button('Store the value').click();
    await button('Replace ISSUES_TOKEN').waitFor();
    expect(await page.content()).not.toContain('hidden-4716');
    await page.getByLabel('Headers').fill('Authorization: Bearer ${OTHER}');
    await button('Save').click();
    await button('Set OTHER').waitFor();
    await page.getByText('nothing uses it').waitFor();
  });

  test('a skill is written with its problems by line, and applies to what it is for', async () => {
    await browser.signIn('/console/default/skills/new', ada);
    const text = page.getByLabel('SKILL.md');
    await text.fill('---\nname: Not A Name\ndescription: x\n---\n');
    await page
      .getByRole('button', { name: /SKILL\.md:\d+/ })
      .first()
      .waitFor();
    await text.fill('---\nname: release-notes\ndescription: Writes the notes of a release.\n---\n# Notes\n');
    await page.getByText('No problems found.').waitFor();
    await button('Create the skill').click();
    await page.waitForURL(/skills\/skl_/);
    await button('Add a file').click();
    await page.getByLabel('Path').fill('references/style.md');
    await button('Add').click();
    await page.waitForURL(/file=references/);
    await page.getByLabel('references/style.md').fill('One line each.');
    await button('Save as a new revision').click();
    await page.getByText('revision 3', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Revisions' }).click();
    const revisions = page
      .getByRole('main')
      .getByRole('listitem')
      .filter({ hasText: /^Revision/ });
    await expect.poll(() => revisions.count()).toBe(3);
    await page.goto(`${api.url}/console/default/skills/try?q=notes+of+the+release`);
    await page.getByRole('region', { name: 'It would get' }).getByText('fits the prompt').waitFor();
  });

  test('memory of a repository is written, measured and changed', async () => {
    await browser.signIn('/console/default/memory?repo=acme/remembered', ada);
    await button('New note').click();
    await page.getByLabel('Title').fill('Tests');
    await page.getByLabel('What should every session know?').fill('é'.repeat(512));
    await page.getByText('1.0 KiB of 240 KiB').waitFor();
    await button('Create the note').click();
    const notes = page.getByRole('list', { name: 'Memory notes' });
    await notes.getByRole('heading', { name: 'Tests' }).waitFor();
    await button('More about Tests').click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await page.getByLabel('What should every session know?').fill('Run npm test.');
    await button('Save').click();
    await notes.getByText('Run npm test.').waitFor();
    await notes.getByText(/Revision 2/).waitFor();
    const long = `Begins. ${'x '.repeat(2_500)}Ends.`;
    await post('memory/notes', { provider: 'local', repo: 'acme/remembered', title: 'Long', content: long });
    await notes.getByText('Begins.').waitFor();
    expect(await notes.getByText('Ends.').count()).toBe(0);
    await button('Show all of it').click();
    await notes.getByText('Ends.').waitFor();
  });

  test('an agent’s prompt changes as a version, and its blueprint shows the difference', async () => {
    const { id } = (await api.call('POST', '/agents', { body: { name: 'Reviewer', system_prompt: 'Be kind.' } })).json;
    await createPerson(api, 'boss@example.com', 'admin');
    await browser.signIn(`/console/default/agents/${String(id)}`, 'boss@example.com');
    await page.getByLabel('Prompt').fill('Be kind and brief.');
    await page.getByLabel('Description').fill('For small changes');
    await button('Save as a new version').click();
    await page.getByText('version 2', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByText('What version 2 changed').waitFor();
    await page.getByText('description: For small changes').waitFor();
    await page.getByRole('link', { name: 'All that it is given: its blueprint' }).click();
    await page.getByRole('tab', { name: 'Compare versions' }).click();
    await page.waitForURL(/diff=1\.\.2/);
    await page.getByRole('list', { name: 'Changes' }).getByText('/system_prompt').waitFor();
    for (const path of ['blueprints/export', 'knowledge/export'])
      expect((await page.request.get(`${api.url}${organization}/${path}`)).status()).toBe(200);
  });

  test('a viewer reads everything, and is offered nothing that would be refused', async () => {
    const { note_id: noteId } = await post('knowledge/notes', {
      name: 'To read',
      trigger: 'reading',
      body: '**Bold** text',
    });
    const { id: secretId } = await post('secrets', { key: 'READ_ONLY', value: 'x' });
    const { id: repoId } = await post('repositories', { provider: 'local', repo: 'acme/read' });
    const { id: serverId } = await post('mcp-servers', { name: 'To call', url: 'https://call.example.com/mcp' });
    const content = '---\nname: to-apply\ndescription: To be read.\n---\n# A heading to read\n';
    const { id: skillId } = await post('skills', { files: [{ path: 'SKILL.md', content }] });
    await browser.signIn('/console/default/knowledge', viewer);
    const pages = [
      ['knowledge', 'To read'],
      [`knowledge/${String(noteId)}`, 'Bold'],
      ['knowledge/suggestions', 'No suggestion waits.'],
      ['secrets', 'READ_ONLY'],
      [`secrets/${String(secretId)}`, 'No session had it yet.'],
      ['repositories', 'acme/read'],
      [`repositories/${String(repoId)}?tab=settings`, 'Changing them takes'],
      ['mcp-servers', 'To call'],
      [`mcp-servers/${String(serverId)}`, 'Testing and changing it takes'],
      ['skills', 'to-apply'],
      ['skills/try', 'It would get'],
      [`skills/${String(skillId)}`, 'A heading to read'],
      ['memory?repo=acme/read', 'Changing memory takes'],
      ['agents', 'builtin'],
      ['blueprints', 'Export all'],
      ['mcp-servers/new', 'This page takes the permission plugins:write.'],
      ['skills/new', 'This page takes the permission plugins:write.'],
      ['agents/new', 'This page takes the permission org:write.'],
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
      const offered =
        /^(new|add|save|store|set|test|import|paste|delete|edit|replace|accept|dismiss|restore|create)\b/i;
      expect(await main.getByRole('button', { name: offered }).count(), path).toBe(0);
      expect(await main.getByRole('link', { name: offered }).count(), path).toBe(0);
      expect(await main.getByRole('button', { name: /^More about/ }).count(), path).toBe(0);
    }
  });
});
