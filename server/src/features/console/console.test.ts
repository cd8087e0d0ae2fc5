import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { sendRaw } from '../../../test/support/raw.ts';
import { sessionIn } from '../../../test/support/session-states.ts';
import { append } from '../sessions/run/run-service.ts';
import { createPerson, useConsoleBrowser } from './browser-fixture.ts';

const email = 'ada@example.com';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  await createPerson(api, email, 'member');
});
afterAll(() => api.close());

const get = (path: string, headers: Record<string, string> = {}) => api.call('GET', path, { key: '', headers });

describe('the pages', () => {
  test('every address below /console/ is the same page, with a policy and a nonce of its own', async () => {
    const { status: moved, headers: there } = await sendRaw(api, 'GET', '/');
    expect([moved, there.location]).toEqual([302, '/console/']);
    for (const [old = '', now] of [
      ['/sign-in?return_to=%2Fdocs', '/console/-/sign-in?return_to=%2Fdocs'],
      ['/invites/a%2Fb', '/console/-/invites/a%2Fb'],
    ]) {
      const { status, headers } = await sendRaw(api, 'GET', old);
      expect([status, headers.location]).toEqual([302, now]);
    }
    const nonces = new Set<string>();
    const broken = ['/console/%00', '/console/default/sessions/%', '/console/default/skills?q=%ED%A0%80'];
    for (const path of [
      '/console',
      '/console/',
      '/console/default/sessions?q=x',
      '/console/none/of/these',
      ...broken,
    ]) {
      const { status, headers, text } = await get(path);
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      const policy = headers.get('content-security-policy') ?? '';
      const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
      nonces.add(nonce);
      expect(text).toContain(`content="${nonce}"`);
      expect(policy).toContain("default-src 'none'; script-src 'self';");
      expect(text).not.toMatch(/<script(?![^>]*src=)|<style|https?:/);
      expect(headers.get('cache-control')).toBe('no-store');
    }
    expect(nonces.size).toBe(7);
  });

  test('an address that is broken or leads nowhere is a page for a browser, with the way to the console', async () => {
    for (const [path, status] of [
      ['/sign-in%00', 400],
      ['/invites/%ff', 400],
      ['/v3%ff', 400],
      [`/${'long'.repeat(300)}`, 404],
      ['/sesions/%3Cscript%3E', 404],
    ] as const) {
      const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
      const page = await get(path, { accept });
      expect([path, page.status, page.headers.get('content-type')]).toEqual([path, status, 'text/html; charset=utf-8']);
      expect(page.text).toContain('<a class="button" href="/console/">');
      expect(page.text).not.toContain('<script');
      const program = await get(path, { accept: '*/*' });
      expect([path, program.status, program.json['error']]).toEqual([path, status, expect.any(String)]);
    }
    const operation = '/v3/organizations/default/sessions/%00';
    const { json } = await api.call('GET', operation, { headers: { accept: 'text/html' } });
    expect(json['error']).toBe('invalid_request');
  });

  test('one page sends a form to a git host: to the one that its address names, and nothing else gets into its policy', async () => {
    const policyOf = async (host: string) => {
      const { headers, text } = await get(`/console/default/git-connections/app/new${host}`);
      const policy = headers.get('content-security-policy') ?? '';
      const [, target = ''] = /name="form-target" content="([^"]*)"/.exec(text) ?? [];
      return [/form-action ([^;]*);/.exec(policy)?.[1], target, policy.split(';').length];
    };
    const [, , parts] = await policyOf('');
    for (const [host, target] of [
      ['', 'https://github.com'],
      ['?host=github.acme.example', 'https://github.acme.example'],
      ['?host=http%3A%2F%2F127.0.0.1%3A8080%2Fghe', 'http://127.0.0.1:8080'],
    ])
      expect(await policyOf(host ?? '')).toEqual([`'self' ${target}`, target, parts]);
    // A policy cannot name an IPv6 address.
    for (const [host, source, target] of [
      ['?host=https%3A%2F%2F[FD00%3A0%3A%3A1]%3A8443', 'https:', 'https://[fd00::1]:8443'],
      ['?host=[fd00%3A%3A1]', 'https:', 'https://[fd00::1]'],
      ['?host=http%3A%2F%2F[%3A%3A1]%3A80', 'http:', 'http://[::1]'],
    ])
      expect(await policyOf(host ?? '')).toEqual([`'self' ${source}`, target, parts]);
    for (const host of [
      '?host=a%22b',
      '?host=a%3Bscript-src+*',
      '?host=javascript%3Aalert(1)',
      '?host=a&host=b',
      '?host=fd00%3A%3A1',
      '?host=[fd00%3A%3A1%25eth0]',
      '?host=[fd00%3A%3A1',
      '?host=',
    ])
      expect(await policyOf(host)).toEqual(["'self'", '', parts]);
    expect(
      (await get('/console/default/git-connections/app?host=a.example')).headers.get('content-security-policy'),
    ).toContain("form-action 'self';");
  });

  test('its files never change, and are sent compressed', async () => {
    const [script = ''] = /\/console\/-\/assets\/[\w-]+\.js/.exec((await get('/console/')).text) ?? [];
    for (const coding of ['br', 'gzip']) {
      const { status, headers } = await get(script, { 'accept-encoding': coding });
      expect([status, headers.get('content-encoding')]).toEqual([200, coding]);
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    }
    expect((await get('/console/-/assets/none.js')).status).toBe(404);
    // May be the slug of an organization.
    expect((await get('/console/assets/sessions')).status).toBe(200);
    for (const path of [
      '/console/-/assets/../../index.html',
      '/console/-/assets/%2e%2e/%2e%2e/index.html',
      '/console/-/assets/..%2f..%2f.sources',
    ]) {
      const { bytes } = await sendRaw(api, 'GET', path);
      expect(bytes.toString()).not.toMatch(/{{nonce}}|^[0-9a-f]{64}$/);
    }
  });
});

describe('in a browser', () => {
  const browser = useConsoleBrowser(() => api);
  let page: Page;
  beforeEach(() => {
    page = browser.page;
  });
  const signIn = (path: string, as = email) => browser.signIn(path, as);

  test('a person signs in, comes back to the address, finds a session, and reads it', async () => {
    const { id } = await sessionIn(api, 'waiting', { prompt: 'Invoices need a due date' });
    await sessionIn(api, 'canceled', { prompt: 'Bump the bundler' });
    await signIn('/console/default/sessions?attention=answer');
    expect(page.url()).toContain('attention=answer');
    await expect.poll(() => page.title()).toMatch(/^\(\d+\) Sessions/);
    const rows = page.getByRole('table', { name: 'Sessions' }).getByRole('link');
    await rows.first().waitFor();
    expect(await rows.allTextContents()).toEqual([expect.stringContaining('Invoices need a due date')]);
    await page.getByRole('button', { name: 'All' }).click();
    await page.getByText('Bump the bundler').waitFor();
    expect(page.url()).not.toContain('attention');
    await page.getByRole('searchbox').fill('invoices');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=invoices/);
    await page.getByText('Bump the bundler').waitFor({ state: 'detached' });
    await rows.first().click();
    await page.waitForURL(new RegExp(`/console/default/sessions/${id}$`));
    await page.getByRole('heading', { level: 1, name: 'Invoices need a due date' }).waitFor();
    await page.goBack();
    await page.waitForURL(/q=invoices/);
  });

  test('a session that begins shows without a reload', async () => {
    await signIn('/console/default/sessions');
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    await api.call('POST', `/v3/organizations/default/sessions`, { body: { prompt: 'Begun elsewhere' } });
    await page.getByText('Begun elsewhere').waitFor();
  });

  test('a person starts a session; a refusal stands at its field, and loses nothing', async () => {
    await signIn('/console/default/sessions');
    await page.getByRole('link', { name: 'New session' }).click();
    await page.getByRole('textbox', { name: 'What should be done?' }).fill('Add a due date');
    await page.getByRole('combobox', { name: 'Repository' }).fill('acme/none');
    await page.getByRole('button', { name: 'Start session' }).click();
    await page.getByRole('alert').waitFor();
    await page.reload();
    expect(await page.getByRole('combobox', { name: 'Repository' }).inputValue()).toBe('acme/none');
    await page.getByRole('combobox', { name: 'Repository' }).fill('');
    await page.getByRole('spinbutton', { name: 'Limit of cost' }).press('Control+Enter');
    await page.waitForURL(/sessions\/ses_/);
    await page.getByRole('region', { name: 'Log' }).getByText('Add a due date').waitFor();
    await page.goto(`${api.url}/console/default/sessions/new?prompt=From+a+link`);
    expect(await page.getByRole('textbox', { name: 'What should be done?' }).inputValue()).toBe('From a link');
  });

  test('a person answers a session, and what was written survives a reload', async () => {
    const { id } = await sessionIn(api, 'suspended', { prompt: 'Guard __proto__ <script>' });
    await signIn(`/console/default/sessions/${id}`);
    const log = page.getByRole('region', { name: 'Log' });
    await log.getByText('Guard __proto__ <script>', { exact: true }).waitFor();
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.fill('Also handle an empty name.');
    await page.reload();
    expect(await field.inputValue()).toBe('Also handle an empty name.');
    await field.press('Control+Enter');
    await log.getByText('Also handle an empty name.').waitFor();
    expect(await field.inputValue()).toBe('');
    await page.getByRole('status').getByText('Queued', { exact: true }).waitFor();
  });

  test('no message and no output of an agent breaks the page of its session', async () => {
    const { id, run } = await sessionIn(api, 'running', { prompt: 'Hostile' });
    if (run === undefined) throw new Error('nothing runs');
    const texts = [
      '> '.repeat(3_000),
      '1. '.repeat(8_000),
      '*a_'.repeat(1_300),
      '<img src=x onerror=alert(1)>\n\n[a](javascript:alert(1)) [of a file](src/a.ts)',
      '# Run this\n\n`rm \u202Ey`',
    ];
    const messages = texts.map((delta, at) => ({
      kind: 'message' as const,
      data: { message_id: `m${at}`, role: 'agent' as const, delta, done: true, state: 'delivered' as const },
    }));
    const output = {
      command_id: 'c',
      call_id: '',
      stream: 'stdout' as const,
      text: `${'x'.repeat(20_000)}\u001b[2Jend`,
    };
    const last = { kind: 'warning' as const, data: { code: 'x', message: 'And still here' } };
    await append(api.ctx, run, [...messages, { kind: 'output', data: output }, last]);
    await signIn(`/console/default/sessions/${id}`);
    const log = page.getByRole('region', { name: 'Log' });
    await log.getByText('And still here').waitFor();
    expect(await log.locator('.markdown :is(img, a)').count()).toBe(0);
    await log.getByText('rm ‹U+202E›y', { exact: true }).waitFor();
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    expect(await log.locator('pre').last().textContent()).toMatch(/xend$/);
  });

  test('a person who may not run sessions reads them, without a field to answer', async () => {
    const { id } = await sessionIn(api, 'waiting', { prompt: 'Only to read' });
    await createPerson(api, 'viewer@example.com', 'viewer');
    await signIn(`/console/default/sessions/${id}`, 'viewer@example.com');
    await page.getByRole('region', { name: 'Log' }).getByText('Only to read').waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
  });

  test("another organization's pages are not here, nor those of addresses that name nothing", async () => {
    await api.createOrganization('Elsewhere');
    await signIn('/console/elsewhere/sessions');
    await page.getByText('This is not here.').waitFor();
    for (const path of [
      '%00/sessions',
      'default/%00',
      'default/secrets/%00',
      'default/settings/%00',
      'default/secrets/%',
    ]) {
      await page.goto(`${api.url}/console/${path}`);
      await page.getByText('This is not here.').waitFor();
    }
  });

  test('120 sessions are a list of some rows, and the last one is reached', async () => {
    await signIn('/console/default/sessions?view=table&q=one+of+many');
    await Promise.all(
      Array.from({ length: 120 }, (_, at) =>
        api.call('POST', '/v3/organizations/default/sessions', { body: { prompt: `One of many ${at}` } }),
      ),
    );
    const rows = page.getByRole('table', { name: 'Sessions' }).getByRole('link');
    await rows.first().waitFor();
    await page.reload();
    await rows.first().waitFor();
    expect(await rows.count()).toBeLessThan(60);
    await expect
      .poll(
        async () => {
          await page.keyboard.press('End');
          return page.locator('[aria-rowindex="121"]').count();
        },
        { timeout: 120_000, interval: 200 },
      )
      .toBe(1);
  });
});
