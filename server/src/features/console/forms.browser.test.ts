import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { lookInBothThemes } from './axe-fixture.ts';
import { createPerson, useConsoleBrowser } from './browser-fixture.ts';
import { hold, holdReads } from './hold-fixture.ts';

const organization = '/v3/organizations/default';
const [ada, grace] = ['ada@example.com', 'grace@example.com'];

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  await createPerson(api, ada, 'admin');
  await createPerson(api, grace, 'admin');
});
afterAll(() => api.close());

const post = async (path: string, body: object) => (await api.call('POST', `${organization}/${path}`, { body })).json;

describe('a form', () => {
  const browser = useConsoleBrowser(() => api);
  let page: Page;
  beforeEach(() => {
    page = browser.page;
  });
  const conflict = () => page.getByRole('alert', { name: 'Changed meanwhile' });
  const button = (name: string) => page.getByRole('button', { name, exact: true });

  test('keeps what somebody else saved meanwhile, and what was entered', async () => {
    const { id } = await post('groups', { name: 'Platform', limits: { per_day: { sessions: 3 } } });
    const at = `${organization}/groups/${String(id)}`;
    await browser.signIn(`/console/default/groups/${String(id)}`, ada);
    await page.getByLabel('Cost in US dollars').fill('20');
    await api.call('PATCH', at, { body: { name: 'Platforms', limits: { per_day: { cost_usd: 5 } } } });
    await conflict().getByText('limits.per_day.cost_usd').first().waitFor();
    await button('Save').click();
    expect((await api.call('GET', at)).json).toMatchObject({ limits: { per_day: { cost_usd: 5 } } });
    await button('Keep my changes on top of theirs').click();
    await conflict().waitFor({ state: 'detached' });
    await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('Platforms');
    await button('Save').click();
    await page.getByText('Saved.', { exact: true }).first().waitFor();
    expect((await api.call('GET', at)).json).toMatchObject({
      name: 'Platforms',
      limits: { per_day: { cost_usd: 20, sessions: 3 } },
    });
    // The own change is nobody else's.
    expect(await conflict().count()).toBe(0);
    await page.getByLabel('Tokens', { exact: true }).fill('7');
    await api.call('PATCH', at, { body: { description: 'Theirs' } });
    await button('Take theirs, discard mine').click();
    await expect.poll(() => page.getByLabel('Tokens', { exact: true }).inputValue()).toBe('');
    expect(await page.getByLabel('Description').inputValue()).toBe('Theirs');
  });

  test('is saved although the record was used meanwhile, and a value is not put where another went', async () => {
    const { id } = await post('secrets', { key: 'DEPLOY_TOKEN', value: 'one' });
    const used = () =>
      api.ctx.db.kysely.updateTable('secrets').set({ last_used_at: new Date() }).where('id', '=', String(id)).execute();
    await browser.signIn(`/console/default/secrets/${String(id)}`, ada);
    await page.getByLabel('Note for people').fill('Of the deployment');
    // No event tells of it, so the first request is refused, and repeated.
    await used();
    await button('Save').click();
    await page.getByText('Saved.').first().waitFor();
    const { json } = await api.call('GET', `${organization}/secrets/${String(id)}`);
    expect(json['note']).toBe('Of the deployment');
    await button('Replace the value').click();
    await page.getByLabel('New value').fill('mine');
    await api.call('PUT', `${organization}/secrets/${String(id)}`, { body: { value: 'theirs' } });
    await conflict().getByText('Someone else changed this while you wrote.').waitFor();
    expect(await conflict().textContent()).not.toMatch(/mine,|theirs;/);
    await button('Replace the value').click();
    await used();
    await button('Keep my changes on top of theirs').click();
    await button('Replace the value').click();
    await page.getByText('version 3; nobody can read it here').waitFor();
  });

  test('is not left with something unsaved unless the person says so', async () => {
    await browser.signIn('/console/default/service-users', ada);
    await page.getByRole('link', { name: 'New service user' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill('Deployer');
    await page.getByRole('navigation').getByRole('link', { name: 'Sessions' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Deployer');
    await page.goBack();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Sessions' }).first().click();
    await dialog.getByRole('button', { name: 'Leave' }).click();
    await page.waitForURL(/\/sessions/);
    const { json } = await api.call('GET', `${organization}/service-users`);
    expect(json['items']).toEqual([]);
  });

  test('of settings gets what another browser saved, without a loss of what is being typed', async () => {
    const path = '/console/default/settings/sandbox';
    await browser.signIn(path, ada);
    const other = await browser.another();
    await browser.signIn(path, grace, other);
    const hosts = page.getByRole('textbox', { name: 'Allowed hosts' });
    await page.getByRole('radio', { name: 'allowlist' }).check({ force: true });
    await page.keyboard.press('Control+s');
    await page.getByRole('region', { name: 'Changes' }).waitFor({ state: 'detached' });
    // Half written: no value of the form yet.
    await hosts.pressSequentially('api.exa');
    await expect.poll(() => other.getByRole('radio', { name: 'allowlist' }).isChecked()).toBe(true);
    const arrived = page.waitForResponse(
      (response) =>
        response.url().endsWith('/settings/sandbox') &&
        response.request().method() === 'GET' &&
        response.headers()['etag']?.startsWith('"2') === true,
    );
    await other.getByLabel('Memory', { exact: true }).fill('2048');
    await other.keyboard.press('Control+s');
    await other.getByRole('region', { name: 'Changes' }).waitFor({ state: 'detached' });
    await arrived;
    expect(await hosts.inputValue()).toBe('api.exa');
    await page.getByLabel('Processors', { exact: true }).fill('4');
    await conflict()
      .getByText(/changed these settings/)
      .waitFor();
    expect(await conflict().getByRole('row').allInnerTexts()).toEqual([
      expect.stringMatching(/Field/),
      expect.stringMatching(/Processors\s+2 cores\s+as before\s+4 cores/),
      expect.stringMatching(/Memory\s+4\u2009096 MiB\s+2\u2009048 MiB\s+as before/),
      expect.stringMatching(/Allowed hosts\s+none\s+as before\s+api\.exa/),
    ]);
    expect(await lookInBothThemes(page, 'a conflict')).toEqual([]);
    await button('Keep my changes on top of theirs').click();
    await page.keyboard.press('Control+s');
    await page.getByRole('region', { name: 'Changes' }).waitFor({ state: 'detached' });
    await expect.poll(() => other.getByLabel('Processors', { exact: true }).inputValue()).toBe('4');
    expect(await page.getByLabel('Memory', { exact: true }).inputValue()).toBe('2048');
    const { json } = await api.call('GET', `${organization}/settings/sandbox`);
    expect(json['value']).toMatchObject({
      cpu: 4,
      memory_mb: 2_048,
      network: 'allowlist',
      allowed_hosts: ['api.exa'],
    });
    expect(await lookInBothThemes(page, 'saved settings')).toEqual([]);
  });

  test('keeps what is entered while it is saved', async () => {
    const { id } = await post('groups', { name: 'Writers' });
    const groupPath = `groups/${String(id)}`;
    await browser.signIn(`/console/default/${groupPath}`, ada);
    const change = await hold(page, 'PATCH', `${organization}/${groupPath}`);
    const description = page.getByLabel('Description');
    await description.fill('They write');
    await button('Save').click();
    await change.isSent;
    await description.fill('They write and read');
    await change.pass();
    await page.getByText('Saved.', { exact: true }).first().waitFor();
    expect(await description.inputValue()).toBe('They write and read');
    await button('Save').click();
    const stored = async () => (await api.call('GET', `${organization}/${groupPath}`)).json['description'];
    await expect.poll(stored).toBe('They write and read');

    const settings = 'settings/sandbox';
    await page.goto(`${api.url}/console/default/${settings}`);
    const field = (name: string) => page.getByLabel(name, { exact: true });
    const save = await hold(page, 'PUT', `${organization}/${settings}`);
    await field('Memory').fill('3072');
    await page.keyboard.press('Control+s');
    await save.isSent;
    await field('Processors').fill('3');
    await field('Processors').blur();
    await save.pass();
    await page.getByText('1 change', { exact: true }).waitFor();
    expect(await field('Memory').inputValue()).toBe('3072');
    await button('Save').click();
    await page.getByRole('region', { name: 'Changes' }).waitFor({ state: 'detached' });
    expect(await field('Processors').inputValue()).toBe('3');
  });

  test('can be saved again while lists are read', async () => {
    const { id } = await post('groups', { name: 'Readers' });
    const groupPath = `groups/${String(id)}`;
    await browser.signIn(`/console/default/${groupPath}`, ada);
    await page.getByText('Nobody is in this group').waitFor();
    const pass = await holdReads(page, /\/(?:members|settings)\?/);
    const refused: string[] = [];
    page.on('response', (response) => response.status() === 412 && refused.push(response.url()));
    const description = page.getByLabel('Description');
    await description.fill('They read');
    await button('Save').click();
    await page.getByText('Saved.', { exact: true }).first().waitFor();
    await description.fill('They read again');
    await button('Save').click();
    const stored = async () => (await api.call('GET', `${organization}/${groupPath}`)).json['description'];
    await expect.poll(stored).toBe('They read again');
    expect(refused).toEqual([]);

    await page.goto(`${api.url}/console/default/settings/sandbox`);
    const field = (name: string) => page.getByLabel(name, { exact: true });
    await field('Memory').fill('2560');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved.').first().waitFor();
    await field('Processors').fill('5');
    await page.keyboard.press('Control+s');
    const kept = async () => (await api.call('GET', `${organization}/settings/sandbox`)).json['value'];
    await expect.poll(kept).toMatchObject({ memory_mb: 2_560, cpu: 5 });
    pass();
  });

  test('takes its own change for its own, though the answer comes late or is lost', async () => {
    const { id } = await post('groups', { name: 'Waiters' });
    const groupPath = `groups/${String(id)}`;
    await browser.signIn(`/console/default/${groupPath}`, ada);
    const change = await hold(page, 'PATCH', `${organization}/${groupPath}`);
    const description = page.getByLabel('Description');
    await description.fill('They wait');
    await button('Save').click();
    await change.isSent;
    await page.locator('p', { hasText: 'They wait' }).waitFor();
    expect(await conflict().count()).toBe(0);
    await change.pass();
    await page.getByText('Saved.', { exact: true }).first().waitFor();

    const lost = await hold(page, 'PATCH', `${organization}/${groupPath}`);
    await description.fill('They wait long');
    await button('Save').click();
    await lost.isSent;
    await page.locator('p', { hasText: 'They wait long' }).waitFor();
    await lost.lose();
    await page.getByRole('alert').getByText('Check your connection, and try again.').waitFor();
    expect(await conflict().count()).toBe(0);
    await button('Save').click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  test('of a new session names skills, tells what is given, and keeps a secret of its own nowhere', async () => {
    const content = '---\nname: release-notes\ndescription: Writes the notes of a release.\n---\n# Notes\n';
    await post('skills', { files: [{ path: 'SKILL.md', content }] });
    await post('repositories', { provider: 'local', repo: 'acme/shop' });
    await post('memory/notes', { provider: 'local', repo: 'acme/shop', title: 'Ports', content: 'Use port 0.' });
    const { id: group } = await post('groups', { name: 'Everybody', limits: { per_day: { sessions: 9 } } });
    const { json: members } = await api.call('GET', `${organization}/members?search=${ada}`);
    const [member] = Array.isArray(members['items']) ? members['items'] : [];
    await post(`groups/${String(group)}/members`, { user_ids: [String(Object(member).user_id)] });
    await browser.signIn('/console/default/sessions/new?repo=acme/shop', ada);
    await page.getByText('This agent cannot run: ').waitFor();
    const prompt = page.getByRole('textbox', { name: 'What should be done?' });
    await prompt.pressSequentially('Write them by /rel');
    await page
      .getByRole('listbox', { name: 'Skills' })
      .getByRole('option', { name: /release-notes/ })
      .waitFor();
    await prompt.press('Enter');
    await expect.poll(() => prompt.inputValue()).toBe('Write them by /release-notes ');
    const preview = page.getByRole('complementary', { name: 'This session would get' });
    await preview.getByRole('region', { name: 'Memory' }).getByText('Ports').waitFor();
    await preview.getByRole('region', { name: 'Limits today' }).getByText('Sessions: 0 of 9').waitFor();
    await page.getByText('Check, delivery, limits, and what it is given').click();
    await button('Add a secret').click();
    const secret = page.getByRole('group', { name: 'Secret 1' });
    await secret.getByLabel('Name').fill('1BAD');
    await secret.getByLabel('Value').fill('hidden-4720');
    const schema = page.getByLabel('Structured result');
    await schema.fill('{"type":');
    await page.getByText('This is not a JSON object: { … }.').waitFor();
    expect(await button('Start session').isDisabled()).toBe(true);
    await schema.fill('{"type": "object", "properties": {"version": {"type": "string"}}}');
    await page.getByLabel('Without it, the session fails').check();
    await button('Start session').click();
    // The API's problem stands at its field, and nothing is lost.
    await secret.getByText(/name of letters/).waitFor();
    expect(await secret.getByLabel('Value').inputValue()).toBe('hidden-4720');
    const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]));
    expect(stored).toMatch(/release-notes/);
    expect(stored).not.toContain('hidden-4720');
    await secret.getByLabel('Name').fill('SHOP_TOKEN');
    await preview.getByText('SHOP_TOKEN').waitFor();
    await button('Start session').click();
    await page.waitForURL(/sessions\/ses_/);
    const id = page.url().split('/').at(-1) ?? '';
    const { json } = await api.call('GET', `${organization}/sessions/${id}`);
    expect(json['prompt']).toBe('Write them by /release-notes ');
    const secrets = api.ctx.db.kysely.selectFrom('session_secrets').select('key').where('session_id', '=', id);
    expect(await secrets.execute()).toEqual([{ key: 'SHOP_TOKEN' }]);
  });
});
