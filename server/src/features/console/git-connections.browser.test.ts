import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGithubFake, type GithubFake } from '../../../test/hosts/github/fake.ts';
import { startFakeGitlab, type FakeGitlab } from '../../../test/hosts/gitlab/server.ts';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { createGitUser } from '../../../test/support/git.ts';
import { lookInBothThemes } from './axe-fixture.ts';
import { createPerson, useConsoleBrowser } from './browser-fixture.ts';

const admin = 'ada@example.com';
const viewer = 'vera@example.com';
const at = '/v3/organizations/default/git-connections';

let api: TestApi;
let gitlab: FakeGitlab;
let github: GithubFake;
beforeAll(async () => {
  [api, gitlab, github] = await Promise.all([
    startTestApi({ GUILDHALL_EGRESS_ALLOW: 'git=127.0.0.1/32,git=::1/128' }),
    startFakeGitlab(),
    startGithubFake(),
  ]);
  await github.create('acme/engine');
  await createPerson(api, admin, 'admin');
  await createPerson(api, viewer, 'viewer');
  const [app, ada] = await Promise.all([gitlab.addProject('acme/tools/app'), createGitUser()]);
  await gitlab.addProject('acme/site');
  const remote = `${gitlab.url.replace('//', `//oauth2:${gitlab.addToken().token}@`)}/${app.path}.git`;
  await ada.git(await ada.start({ 'a.txt': 'one\n' }), 'push', '-q', remote, 'main');
  await ada.close();
});
afterAll(async () => {
  await api.close();
  await gitlab.close();
  expect(github.problems).toEqual([]);
  await github.close();
});

describe('git connections', () => {
  const browser = useConsoleBrowser(() => api);

  test('are created by a token, verified, given another one, used for a repository, and deleted', async () => {
    const { page } = browser;
    const main = page.getByRole('main');
    const button = (name: string) => main.getByRole('button', { name, exact: true });
    const weak = gitlab.addToken({ scopes: ['read_api'] });
    await browser.signIn('/console/default/git-connections', admin);
    await main.getByRole('link', { name: 'New git connection' }).click();
    await page.getByLabel('Kind of git host').selectOption('gitlab');
    await main.getByRole('region', { name: 'What the token needs' }).getByText('the role Developer').waitFor();
    await page.getByLabel('Host', { exact: true }).fill(gitlab.url);
    await page.getByLabel('Name', { exact: true }).fill('Ours');
    await page.getByLabel('Token', { exact: true }).fill('glpat-unknown');
    await button('Connect').click();
    // What the host refuses stays as it was entered, and the refusal stands at the token.
    await main.getByText(/rejected the credential/).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Ours');
    expect(await lookInBothThemes(page, 'a new connection')).toEqual([]);
    await page.getByLabel('Token', { exact: true }).fill(weak.token);
    await button('Connect').click();
    await page.getByRole('heading', { level: 1, name: 'Ours' }).waitFor();
    await main.getByText('1 permission missing').waitFor();
    const health = main.getByRole('region', { name: 'Does it work?' });
    await health.getByText(/lacks the permission api/).waitFor();
    expect(await lookInBothThemes(page, 'a degraded connection')).toEqual([]);

    weak.scopes = ['api'];
    await button('Verify').click();
    await main.getByText('Connected', { exact: true }).waitFor();
    expect(await health.getByText('Missing permissions').count()).toBe(0);
    weak.state = 'revoked';
    await button('Verify').click();
    await main.getByText('Rejected by the host', { exact: true }).waitFor();
    await button('Give it a new token').click();
    const other = gitlab.addToken();
    await page.getByLabel('New token', { exact: true }).fill(other.token);
    await button('Use the new token').click();
    await main.getByText('Connected', { exact: true }).waitFor();
    await health.getByText(other.username).waitFor();
    expect(await page.content()).not.toContain(other.token);

    const webhook = main.getByRole('region', { name: 'Webhook' });
    await webhook.getByText('What to enter at the host').click();
    await webhook.getByText('Secret token').waitFor();
    await button('Rotate its secret').click();
    await page.getByLabel('Hours for which').fill('200');
    await button('Rotate it').click();
    await webhook.getByText(/604800/).waitFor();
    await page.getByLabel('Hours for which').fill('2');
    await button('Rotate it').click();
    const shown = webhook.getByRole('group', { name: 'The new secret of the webhook' });
    await shown.getByText('The one before stays valid for 2 hours.').waitFor();
    const secret = await shown.locator('code').textContent();
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(await lookInBothThemes(page, 'a rotated secret')).toEqual([]);
    await page.reload();
    await webhook.getByText('none yet').waitFor();
    expect(await page.content()).not.toContain(secret);

    await page.getByRole('tab', { name: 'Repositories' }).click();
    await page.getByRole('searchbox', { name: 'Search repositories' }).fill('app');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=app/);
    await main.getByRole('row', { name: /acme\/site/ }).waitFor({ state: 'detached' });
    await button('Connect acme/tools/app').click();
    await page.getByRole('heading', { level: 1, name: 'acme/tools/app' }).waitFor();
    await main.getByText('At GitLab, by the connection').waitFor();
    await page.getByRole('tab', { name: 'Clone and push' }).click();
    await main.getByText(`git clone ${gitlab.url}/acme/tools/app.git`).waitFor();
    await main.getByRole('link', { name: 'Ours' }).click();
    await page.getByRole('tab', { name: 'Repositories' }).click();
    await main.getByRole('link', { name: 'Open acme/tools/app' }).waitFor();
    await button('Connect acme/site').waitFor();
    expect(await lookInBothThemes(page, 'what a connection reaches')).toEqual([]);

    await button('More about Ours').click();
    await page.getByRole('menuitem', { name: 'Delete …' }).click();
    await page.getByRole('button', { name: 'Delete the connection' }).click();
    // A repository uses it: the API's words, and a second question.
    await page
      .getByRole('dialog', { name: 'Delete Ours anyway?' })
      .getByText(/Repositories use this/)
      .waitFor();
    await page.getByRole('button', { name: 'Delete it anyway' }).click();
    await page.waitForURL(/\/git-connections$/);
    expect((await api.call('GET', at)).json['total']).toBe(1);
    await page.goto(`${api.url}/console/default/repositories`);
    await main.getByRole('link', { name: 'acme/tools/app' }).click();
    await main.getByText('none: give it one in the settings').waitFor();
  });

  test('are created as a GitHub App, which GitHub creates and installs, and say what it lacks', async () => {
    const { page } = browser;
    const main = page.getByRole('main');
    const button = (name: string) => main.getByRole('button', { name, exact: true });
    await browser.signIn('/console/default/git-connections/new', admin);
    await main.getByRole('link', { name: 'Create a GitHub App' }).click();
    await button('Create it at this host').waitFor();
    await page.getByLabel('Host', { exact: true }).fill('a"b');
    await button('Create it at this host').click();
    await main.getByText(/must be a host name or an https URL/).waitFor();
    await page.getByLabel('Host', { exact: true }).fill(github.url);
    await page.getByLabel('Organization at GitHub').fill('acme');
    // The policy of a page lets a form go to one host: for another one it is loaded again, with what was entered.
    await button('Continue with this host').click();
    await page.waitForURL(/host=/);
    await button('Create it at this host').waitFor();
    expect(await page.getByLabel('Organization at GitHub').inputValue()).toBe('acme');
    expect(await lookInBothThemes(page, 'a new App')).toEqual([]);
    await button('Create it at this host').click();
    await page.waitForURL(/\/organizations\/acme\/settings\/apps\/new\?state=/);
    await page.getByRole('button', { name: 'Create GitHub App for Guildhall default' }).click();
    await main.getByRole('link', { name: 'Install it at GitHub' }).waitFor();
    await page.waitForURL(/\/git-connections\/app\?app=ga_\w+$/);
    expect(await page.content()).not.toMatch(/PRIVATE KEY|the secret of the App/);
    expect(await lookInBothThemes(page, 'an App that is not installed')).toEqual([]);
    const { appHook } = github.world;
    await button('Rotate its webhook secret').click();
    github.fail({ path: /hook\/config$/, answer: { status: 500 } });
    await page.getByRole('button', { name: 'Rotate it', exact: true }).click();
    await main.getByText(/could not change the App's webhook now/).waitFor();
    expect(appHook['secret']).toBe('the secret of the App');
    await button('Try again').click();
    await main.getByText(/^Rotated/).waitFor();
    expect(appHook['secret']).not.toBe('the secret of the App');
    expect(await page.content()).not.toContain(String(appHook['secret']));
    await main.getByRole('link', { name: 'Install it at GitHub' }).click();
    await page.getByRole('link', { name: 'Install', exact: true }).click();
    await page.getByLabel('Name of the connection').fill('Acme at GitHub');
    await button('Connect it').click();
    await page.getByRole('heading', { level: 1, name: 'Acme at GitHub' }).waitFor();
    await button('Connect acme/engine').click();
    await page.getByRole('heading', { level: 1, name: 'acme/engine' }).waitFor();
    await main.getByRole('link', { name: 'Acme at GitHub' }).click();
    await main.getByText('guildhall[bot]').waitFor();
    await main.getByText(/GitHub has the address and the secret/).waitFor();

    const { app } = github.grants;
    const { checks, ...others } = app.permissions;
    app.permissions = others;
    await button('Verify').click();
    await main.getByText('1 permission missing').waitFor();
    await main.getByText(/lacks the permission checks/).waitFor();
    app.permissions = { ...others, checks: checks ?? '' };
    app.isInstalled = false;
    await button('Verify').click();
    await main.getByText('Rejected by the host', { exact: true }).waitFor();
    expect(await lookInBothThemes(page, 'an App that was uninstalled')).toEqual([]);
    app.isInstalled = true;
    await button('Verify').click();
    await main.getByText('Connected', { exact: true }).waitFor();

    await main.getByRole('link', { name: 'Open the App' }).click();
    const deleteApp = async () => {
      await main.getByRole('button', { name: /^More about/ }).click();
      await page.getByRole('menuitem', { name: 'Delete …' }).click();
      await page.getByText(/The App remains at/).waitFor();
      await page.getByRole('button', { name: 'Delete the App' }).click();
    };
    await deleteApp();
    await page
      .getByText(/Git connections use this App: Acme at GitHub/)
      .first()
      .waitFor();
    const { json } = await api.call('GET', at);
    const { id } = Object(json['items']).find(({ kind }: { kind: string }) => kind === 'app');
    expect((await api.call('DELETE', `${at}/${String(id)}?force=true`)).status).toBe(204);
    await deleteApp();
    await main.getByRole('link', { name: 'Create a GitHub App' }).waitFor();
    expect((await api.call('GET', `${at}/apps`)).json['total']).toBe(0);

    // A code that GitHub does not know: its words, and the way to another try.
    await page.goto(`${api.url}/console/default/git-connections/app?code=unknown&state=unknown`);
    await main.getByText(/was used, or is older than an hour/).waitFor();
    await button('Try again').click();
    await button('Continue with this host').waitFor();
  });

  test('are created as an App of a server that has an IPv6 address for a name', async () => {
    const server = await startGithubFake('ghes-3.19', '::1');
    try {
      const { page } = browser;
      const main = page.getByRole('main');
      await browser.signIn(`/console/default/git-connections/app/new?host=${encodeURIComponent(server.url)}`, admin);
      await main.getByRole('button', { name: 'Create it at this host', exact: true }).click();
      await page.getByRole('button', { name: 'Create GitHub App for Guildhall default' }).click();
      await main.getByRole('link', { name: 'Install it at GitHub' }).waitFor();
      await main.getByText(new URL(server.url).host, { exact: true }).waitFor();
      expect(server.problems).toEqual([]);
    } finally {
      await server.close();
    }
  });

  test('are shown to who may not change them, without a control', async () => {
    const { json } = await api.call('GET', at);
    const local = String(Object(json['items']).at(-1).id);
    await browser.signIn(`/console/default/git-connections/${local}`, viewer);
    const main = browser.page.getByRole('main');
    await main.getByText('repos:write').waitFor();
    expect(await main.getByRole('button').count()).toBe(0);
    await browser.page.getByRole('tab', { name: 'Repositories' }).click();
    await main.getByText(/reaches no repository/).waitFor();
  });
});
