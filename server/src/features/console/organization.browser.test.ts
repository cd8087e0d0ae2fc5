import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { join } from '../../../test/support/members.ts';
import { createPerson, useConsoleBrowser } from './browser-fixture.ts';
import { lookInBothThemes } from './axe-fixture.ts';
import { hold } from './hold-fixture.ts';

const admin = 'admin@example.com';
const viewer = 'viewer@example.com';
const sessions = '/v3/organizations/default/sessions';

const themeOf = (of: Page) => of.evaluate<string>('document.documentElement.dataset.theme');

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  await createPerson(api, admin, 'admin');
  await createPerson(api, viewer, 'viewer');
});
afterAll(() => api.close());

describe('the organization in a browser', () => {
  const browser = useConsoleBrowser(() => api);
  let page: Page;
  beforeEach(() => {
    page = browser.page;
  });
  const menuOf = async (name: RegExp, item: string) => {
    await page.getByRole('button', { name }).first().click();
    await page.getByRole('menuitem', { name: item }).click();
  };

  test('a prompt that comes late, as it does without sessions, takes no focus from what somebody has begun', async () => {
    await browser.signIn('/console/default/members', admin);
    const prompt = await hold(page, 'GET', /\/assets\/Composer-/);
    await page.goto(`${api.url}/console/default/sessions`);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('combobox', { name: 'Started by' }).click();
    await prompt.pass();
    await page.getByRole('textbox', { name: 'What should be done?', includeHidden: true }).waitFor();
    await page.getByRole('option', { name: 'Me', exact: true }).waitFor();
  });

  test('someone is invited by a link, joins, and gets another permission', async () => {
    await browser.signIn('/console/default/members', admin);
    await page.getByRole('link', { name: 'Invite' }).click();
    await page.getByLabel('E-mail addresses').fill('grace@example.com, not-an-address');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByText('Not an address that works').waitFor();
    const link = (await page.getByLabel('Link for grace@example.com').textContent()) ?? '';
    const body = { name: 'Grace', password: 'violet-anvil-harbour-92' };
    const token = link.split('/').at(-1) ?? '';
    expect((await api.call('POST', `/v3/invites/${token}/accept`, { key: '', body })).status).toBe(201);
    await page.getByRole('button', { name: 'Invite more' }).click();
    const addresses = page.getByLabel('E-mail addresses');
    expect(await addresses.inputValue()).toBe('not-an-address');
    await addresses.fill('still-not-an-address');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByText('Nobody was invited.').waitFor();
    await page.getByRole('link', { name: 'To the invitations' }).click();
    await page
      .getByRole('row', { name: /grace@example.com/ })
      .getByText('Accepted')
      .waitFor();
    await page.getByRole('tab', { name: 'People' }).click();
    await page.getByRole('link', { name: 'Grace' }).click();
    await page.getByRole('heading', { level: 1, name: 'Grace' }).waitFor();
    await page.getByLabel('Permission', { exact: true }).selectOption('viewer');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('It holds from their next request on.').first().waitFor();
    const { text } = await api.call('GET', '/v3/organizations/default/members?search=grace');
    expect(JSON.parse(text).items[0].permission).toBe('viewer');
  });

  test('an invitation is sent again, and revoked', async () => {
    const path = '/v3/organizations/default/members/invites';
    await api.call('POST', path, { body: { emails: ['late@example.com'] } });
    await browser.signIn('/console/default/members?tab=invites', admin);
    await menuOf(/late@example.com/, 'Send again');
    expect(await page.getByLabel(/new link of late@example.com/).textContent()).toContain('/invites/');
    await menuOf(/late@example.com/, 'Revoke …');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page
      .getByRole('row', { name: /late@example.com/ })
      .getByText('Revoked')
      .waitFor();
  });

  test('the last administrator is kept, and the page says so before', async () => {
    const other = await api.createOrganization('Lone');
    const { text } = await api.call('GET', '/v3/organizations/lone/members', { key: other.key });
    const userId = String(JSON.parse(text).items[0].user_id);
    const { rows } = await api.ctx.db.pool.query<{ id: string }>('select id from users where email = $1', [admin]);
    await api.ctx.db.pool.query("insert into members (org_id, user_id, permission) values ($1, $2, 'admin')", [
      other.id,
      rows[0]?.id,
    ]);
    const remove = await api.call('DELETE', `/v3/organizations/lone/members/${userId}`, { key: other.key });
    expect(remove.status).toBe(204);
    await browser.signIn(`/console/lone/members/${rows[0]?.id ?? ''}`, admin);
    await page.getByText('Make someone else an administrator before you change this.').waitFor();
    await page.getByText('The last administrator cannot be removed.').waitFor();
    expect(await page.getByRole('button', { name: /Leave|Remove from/ }).count()).toBe(0);
  });

  test('a group gets a limit and a member, and shows its use of today', async () => {
    await browser.signIn('/console/default/groups', admin);
    await page.getByRole('link', { name: 'New group' }).first().click();
    await page.getByLabel('Name').fill('Backend');
    await page.getByLabel('Cost in US dollars').fill('20');
    await page.getByLabel('Time zone').fill('Nowhere/Nope');
    await page.getByRole('button', { name: 'Create the group' }).click();
    await page.getByText(/must be an IANA time zone/).waitFor();
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await page.getByRole('button', { name: 'Create the group' }).click();
    await page.getByRole('meter', { name: 'Cost' }).waitFor();
    await page.getByText('$0 of $20').waitFor();
    await page.getByLabel('Add someone').fill('viewer@');
    await page.getByRole('button', { name: `Add ${viewer}` }).click();
    await page.getByRole('list', { name: 'Members of the group' }).getByText(viewer).waitFor();
  });

  test('a key of a service user works as its page shows, is rotated with an overlap, and revoked', async () => {
    await browser.signIn('/console/default/service-users/new', admin);
    await page.getByLabel('Name').fill('Build server');
    await page.getByRole('button', { name: 'Create the service user' }).click();
    await page.getByRole('link', { name: 'New key' }).first().click();
    await page.getByRole('heading', { name: 'New key of Build server' }).waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('deploy');
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByText('Choose at least one.').waitFor();
    await page.getByRole('button', { name: 'Read only' }).click();
    await page.getByRole('button', { name: 'Create the key' }).click();
    const curl = (await page.getByLabel('Try it').textContent()) ?? '';
    const statusOf = async (line: string) => {
      const [, header = '', url = ''] = /-H '([^']+)' (\S+)$/.exec(line) ?? [];
      const response = await fetch(url, { headers: { authorization: header.replace('Authorization: ', '') } });
      await response.text();
      return response.status;
    };
    expect(await statusOf(curl)).toBe(200);
    await page.getByRole('link', { name: 'The service user' }).last().click();
    await menuOf(/Actions on deploy/, 'Rotate …');
    await page.getByLabel('The old key stops').selectOption('3600');
    await page.getByRole('button', { name: 'Rotate the key' }).click();
    const next = (await page.getByLabel('Try it').textContent()) ?? '';
    expect(next).not.toBe(curl);
    expect([await statusOf(curl), await statusOf(next)]).toEqual([200, 200]);
    await page.getByRole('button', { name: 'Done' }).click();
    await menuOf(/Actions on deploy/, 'Revoke …');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('table', { name: 'Keys' }).getByText('Revoked').waitFor();
    expect([await statusOf(curl), await statusOf(next)]).toEqual([200, 401]);
  });

  test('an audit entry is found by its filters, shows the value before, and the chain is verified', async () => {
    const { json } = await api.call('POST', '/v3/organizations/default/groups', { body: { name: 'First name' } });
    const path = `/v3/organizations/default/groups/${String(json['id'])}`;
    await api.call('PATCH', path, { body: { name: 'Second name' } });
    await browser.signIn('/console/default/audit-logs', admin);
    await page.getByRole('button', { name: 'Verify the chain' }).click();
    await page.getByText(/Chain verified to #\d/).waitFor();
    await page.getByLabel('Action', { exact: true }).selectOption('group.update');
    await page.waitForURL(/action=group.update/);
    await page.getByRole('link', { name: 'group.update' }).first().click();
    const row = page.getByRole('row', { name: /^name/ });
    const cells = () => row.getByRole('cell').allTextContents();
    await expect.poll(cells).toEqual([expect.stringContaining('First name'), 'Second name']);
    await page.goBack();
    await page.waitForURL(/action=group.update/);
    const href = (await page.getByRole('link', { name: 'Export these' }).getAttribute('href')) ?? '';
    const exported = await page.request.get(new URL(href, api.url).href);
    expect(
      (await exported.text())
        .trim()
        .split('\n')
        .every((line) => JSON.parse(line).action === 'group.update'),
    ).toBe(true);
  });

  test('the audit log names what entries are about, and keeps their ids', async () => {
    const made = async (path: string, body: object) => String((await api.call('POST', path, { body })).json['id']);
    const agent = await made('/agents', { name: 'short-lived' });
    expect((await api.call('DELETE', `/agents/${agent}`)).status).toBe(204);
    const session = await made(sessions, { prompt: 'x', title: 'Nightly sums' });
    await Promise.all(Array.from({ length: 100 }, () => made(sessions, { prompt: 'x', title: 'Later' })));
    await browser.signIn(
      `/console/default/audit-logs?action=agent.delete,session.create&resource_id=${session},${agent}`,
      admin,
    );
    for (const [name, id] of [
      ['agent short-lived', agent],
      ['session Nightly sums', session],
    ] as const)
      expect(await page.getByText(name, { exact: true }).getAttribute('title')).toBe(id);
    await page.getByRole('link', { name: 'session.create' }).click();
    await page.getByRole('row', { name: /^agent_id .*builtin agt_/ }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'agent.delete' }).click();
    await page.getByText(agent, { exact: true }).waitFor();
    await page.getByRole('link', { name: 'agent short-lived' }).click();
    await page.getByRole('button', { name: 'Remove the filter What: short-lived' }).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByText('short-lived · ').first().waitFor();
  });

  test('the audit log and a filter name members, however many joined after them', async () => {
    const { json: org } = await api.call('GET', '/v3/organizations/default');
    const early = await join(api, String(org['id']), 'member', 'early@example.com');
    await api.ctx.db.pool.query(
      `with made as (insert into users (id, email, name) select 'usr_' || n, n || '@example.com', '' from generate_series(1, 200) n
         returning id)
       insert into members (org_id, user_id, permission, joined_at) select $1, id, 'viewer', now() + interval '1 hour' from made`,
      [org['id']],
    );
    await api.call('PATCH', `/v3/organizations/default/members/${early}`, { body: { permission: 'viewer' } });
    await browser.signIn(`/console/default/audit-logs?resource_id=${early}`, admin);
    await page.getByText(`user Person ${early.slice(-4)}`, { exact: true }).waitFor();
    await page.goto(`${api.url}/console/default/sessions?by=${early}`);
    await page.getByRole('button', { name: `Person ${early.slice(-4)}` }).waitFor();
    await page.goto(`${api.url}/console/default/sessions`);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    const field = page.getByRole('combobox', { name: 'Started by' });
    await field.click();
    await page.getByRole('option', { name: 'Me', exact: true }).waitFor();
    expect(await page.getByRole('option', { name: 'early@example.com' }).count()).toBe(0);
    await page.keyboard.type('early');
    await page.getByRole('option', { name: 'early@example.com' }).waitFor();
    expect(await lookInBothThemes(page, 'a member that was found')).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await field.inputValue()).toBe('Any');
    await page.keyboard.type('early');
    await page.getByRole('option', { name: 'early@example.com' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.waitForURL(new RegExp(`by=${early}`));
    await api.ctx.db.pool.query("delete from members where joined_at > now() + interval '30 minutes'");
  });

  test('an agent is found for a session and for all, however many came after it', async () => {
    const { json: first } = await api.call('POST', '/agents', { body: { name: 'The first of many' } });
    for (let one = 0; one < 50; one += 1) await api.call('POST', '/agents', { body: { name: `Another ${one}` } });
    const choose = async (label: string) => {
      await page.getByRole('combobox', { name: label }).click();
      await page.getByRole('option', { name: 'Another 49' }).waitFor();
      expect(await page.getByRole('option', { name: 'The first of many' }).count()).toBe(0);
      await page.keyboard.type('FIRST');
      // What was found before does not fit, and is not chosen in haste.
      await page.keyboard.press('Enter');
      await page.getByRole('option', { name: 'The first of many' }).click();
      await expect.poll(() => page.getByRole('combobox', { name: label }).inputValue()).toBe('The first of many');
    };
    await browser.signIn('/console/default/sessions/new?prompt=Go', admin);
    await choose('Agent');
    await page.getByRole('button', { name: 'Start session' }).click();
    await page.waitForURL(/\/sessions\/ses_/);
    const id = page.url().split('/').at(-1);
    const { json: session } = await api.call('GET', `/v3/organizations/default/sessions/${id}`);
    expect(session['agent_id']).toBe(first['id']);
    await page.goto(`${api.url}/console/default/settings/sessions`);
    await choose('Default agent');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved.', { exact: true }).waitFor();
    const { json: settings } = await api.call('GET', '/v3/organizations/default/settings/sessions');
    expect(JSON.stringify(settings)).toContain(`"default_agent":"${String(first['id'])}"`);
    await api.call('DELETE', '/v3/organizations/default/settings/sessions');
  });

  test('the audit log asks once for each name, however far one reads', async () => {
    const made: string[] = [];
    for (let at = 0; at < 55; at += 1) {
      const { json } = await api.call('POST', '/agents', { body: { name: `agent ${at}` } });
      made.push(String(json['id']));
      await api.call('DELETE', `/agents/${made[at] ?? ''}`);
    }
    const asked: string[] = [];
    page.on('request', (request) => {
      const ids = new URL(request.url()).searchParams.get('resource_id');
      if (ids !== null) asked.push(...ids.split(','));
    });
    await browser.signIn('/console/default/audit-logs?action=agent.delete', admin);
    await page.getByText('agent agent 54', { exact: true }).waitFor();
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    await page.getByText('agent agent 0', { exact: true }).waitFor();
    expect(asked).toEqual([...new Set(asked)]);
    expect(asked).toEqual(expect.arrayContaining(made));
  });

  test('the access list is not sent while it would lock out its editor', async () => {
    await browser.signIn('/console/default/ip-access-list', admin);
    await page.getByText('You are at').waitFor();
    await page.getByRole('button', { name: 'Add a range' }).click();
    await page.getByLabel('Range 1', { exact: true }).fill('192.0.2.0/24');
    await page.getByLabel('Refuse all other addresses').check();
    await page.getByText('This would lock you out').waitFor();
    expect(await page.getByRole('button', { name: 'Save the list' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Add a range' }).click();
    await page.getByLabel('Range 2', { exact: true }).fill('127.0.0.0/8');
    await page.getByRole('button', { name: 'Save the list' }).click();
    await page.getByText('inside, by').waitFor();
    await page.getByRole('textbox', { name: 'Address' }).fill('198.51.100.1');
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByText('is refused: no range contains it').waitFor();
    await page.getByLabel('Refuse all other addresses').uncheck();
    await page.getByRole('button', { name: 'Save the list' }).click();
    await page.getByText('The list is off: every address').waitFor();
  });

  test('another browser is signed out, and preferences follow the person', async () => {
    await browser.signIn('/console/default/self?tab=sign-ins', admin);
    const other = await browser.another();
    await browser.signIn('/console/default/self?tab=preferences', admin, other);
    await other.getByRole('radio', { name: 'Dark' }).check();
    await expect.poll(() => themeOf(other)).toBe('dark');
    await page.reload();
    await expect.poll(() => themeOf(page)).toBe('dark');
    const ends = page.getByRole('table', { name: 'Sign-ins' }).getByRole('button', { name: /^End / });
    await ends.first().waitFor();
    const before = await ends.count();
    await ends.first().click();
    await expect.poll(() => ends.count()).toBe(before - 1);
    // Its stream has ended too, so it may already be leaving, which a reload does not survive.
    await other.reload().catch(() => undefined);
    await other.waitForURL(/sign-in/);
  });

  test('a token for MCP is made and revoked', async () => {
    await browser.signIn('/console/default/self?tab=tool-token', viewer);
    await page.getByRole('button', { name: 'Create a token' }).click();
    const config = (await page.getByLabel('Configuration of an MCP client').textContent()) ?? '';
    const { url, headers } = JSON.parse(config).mcpServers.guildhall;
    const ask = () =>
      fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
      }).then(async (response) => [response.status, await response.text()]);
    expect((await ask())[0]).toBe(200);
    await page.getByRole('button', { name: 'Revoke …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Create a token' }).waitFor();
    expect((await ask())[0]).toBe(401);
  });

  test('a viewer reads everything, and is offered nothing that would be refused', async () => {
    await browser.signIn('/console/default/members', viewer);
    await page.getByRole('table', { name: 'Members' }).waitFor();
    expect(await page.getByRole('link', { name: 'Invite' }).count()).toBe(0);
    for (const path of ['groups', 'service-users', 'apps']) {
      await page.goto(`${api.url}/console/default/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page
        .getByRole('table')
        .or(page.getByText(/none yet/))
        .first()
        .waitFor();
      expect(await page.getByRole('link', { name: /^New/ }).count()).toBe(0);
    }
    await page.goto(`${api.url}/console/default/ip-access-list`);
    await page.getByText('Changing the list takes the permission').waitFor();
    expect(await page.getByRole('button', { name: /Save|Add/ }).count()).toBe(0);
    await page.goto(`${api.url}/console/default/members/invite`);
    await page.getByText('This page takes the permission').waitFor();
    await page.goto(`${api.url}/console/default/self/keys/new`);
    await page.getByRole('button', { name: 'Everything you may' }).click();
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBeGreaterThan(5);
    expect(await page.getByRole('checkbox', { name: /write|^run/ }).count()).toBe(0);
  });
});
