import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { insertDeliveries } from '../webhooks/delivery-store.ts';
import { lookInBothThemes } from './axe-fixture.ts';
import { createPerson, useConsoleBrowser } from './browser-fixture.ts';
import { hold } from './hold-fixture.ts';

const organization = '/v3/organizations/default';
const email = 'ada@example.com';
const longWord = 'w'.repeat(200);

/** Controls whose ring is cut off at three sides or more while they have the focus; a row of a table has one of its own. */
const cutRings = `[...document.querySelectorAll('a[href], button, select, textarea, input')].flatMap((element) => {
  element.focus();
  if (document.activeElement !== element || element.closest('[role=row]')) return [];
  const offset = parseFloat(getComputedStyle(element).outlineOffset);
  const ring = element.getBoundingClientRect();
  for (let box = element.parentElement; box; box = box.parentElement) {
    if (getComputedStyle(box).overflowX === 'visible') continue;
    const room = box.getBoundingClientRect();
    const cut = [
      ring.top - offset < room.top,
      ring.bottom + offset > room.bottom,
      ring.left - offset < room.left,
      ring.right + offset > room.right,
    ];
    return cut.filter(Boolean).length > 2 ? [element.outerHTML.slice(0, 200)] : [];
  }
  return [];
})`;

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  await createPerson(api, email, 'admin');
  await post('sessions', { prompt: 'Fix the sums' });
});
afterAll(() => api.close());

const post = async (path: string, body: object) => (await api.call('POST', `${organization}/${path}`, { body })).json;

describe('a person', () => {
  const browser = useConsoleBrowser(() => api);

  test('comes back to a list with its filters', async () => {
    const { page } = browser;
    await browser.signIn('/console/default/sessions?view=table&q=sums', email);
    await page.getByRole('link', { name: 'Fix the sums' }).click();
    await page.getByRole('link', { name: 'All sessions' }).click();
    await page.waitForURL(/\/sessions\?/);
    expect(page.url()).toMatch(/view=table/);
    expect(page.url()).toMatch(/q=sums/);
    await page.getByRole('navigation').getByRole('link', { name: 'Sessions', exact: true }).click();
    await page.waitForURL(/\/sessions$/);
  });

  test('is led to a first repository where memory has none to choose', async () => {
    const { page } = browser;
    await browser.signIn('/console/default/memory', email);
    await page.getByText('The organization has no repository yet.').waitFor();
    await page.getByRole('link', { name: 'New repository' }).click();
    await page.getByRole('heading', { name: 'New repository' }).waitFor();
  });

  test('reads the repository of a session on a board in a narrow window', async () => {
    const { page } = browser;
    const repo = 'acme/data-warehouse-reports';
    await post('repositories', { provider: 'local', repo });
    await post('sessions', { prompt: 'Sum the reports', repositories: [{ repo }] });
    await page.setViewportSize({ width: 1_024, height: 768 });
    await browser.signIn('/console/default/sessions', email);
    const card = page.getByRole('article').filter({ hasText: 'Sum the reports' });
    const name = card.getByText(repo).locator('..');
    expect(
      await name.evaluate((one) => 'scrollWidth' in one && 'clientWidth' in one && one.scrollWidth === one.clientWidth),
    ).toBe(true);
  });

  test('comes back to it by a key, too', async () => {
    const { page } = browser;
    await browser.signIn('/console/default/sessions?view=table&q=sums', email);
    await page.getByRole('link', { name: 'Fix the sums' }).click();
    await page.getByRole('region', { name: 'Log' }).waitFor();
    await page.keyboard.press('u');
    await page.waitForURL(/\/sessions\?.*q=sums/);
  });

  test('finds pages again by their names, without what is gone and states that have passed', async () => {
    const { page } = browser;
    const { id } = await post('sessions', { prompt: 'Sort the letters' });
    const { id: group } = await post('groups', { name: 'Passing' });
    await browser.signIn(`/console/default/groups/${String(group)}`, email);
    await page.getByRole('heading', { name: 'Passing' }).waitFor();
    await page.goto(`${api.url}/console/default/sessions/${String(id)}`);
    await page.getByRole('heading', { name: 'Sort the letters' }).waitFor();
    await api.call('DELETE', `${organization}/groups/${String(group)}`);
    await page.goto(`${api.url}/console/default/groups/${String(group)}`);
    await page.getByText('This is not here.').waitFor();
    await page.keyboard.press('Control+k');
    const recent = page.getByRole('group', { name: 'Recent' }).getByRole('option');
    await recent.first().waitFor();
    const names = await recent.allInnerTexts();
    expect(names).toContain('Sort the letters');
    expect(names.filter((name) => /Passing|Not here|Queued/.test(name))).toEqual([]);
  });

  test('never reads the name of another page in the tab', async () => {
    const { page } = browser;
    const { id } = await post('groups', { name: 'Hidden' });
    const { id: secret } = await post('secrets', { key: 'SHOWN', value: 'x' });
    await browser.signIn(`/console/default/groups/${String(id)}`, email);
    await expect.poll(() => page.title()).toMatch(/Hidden/);
    await page.route(/\/secrets\/sec_/, (route) =>
      route.fulfill({ status: 500, json: { error: 'internal', message: 'It failed.', request_id: 'req_1' } }),
    );
    await page.evaluate(`__TSR_ROUTER__.history.push('/console/default/secrets/${String(secret)}')`);
    await page.getByText('It failed.').waitFor();
    expect(await page.title()).not.toMatch(/Hidden/);
  });

  test('gets a page from every address, whatever else it says', async () => {
    const { page } = browser;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await browser.signIn('/console/default/sessions?since=9y&utm_source=mail&sort=best', email);
    await page.getByRole('link', { name: 'Fix the sums' }).waitFor();
    expect(await page.getByRole('region', { name: 'Done' }).getByText('Nothing has ended yet.').count()).toBe(1);
    expect(asked.filter((url) => url.includes('/v3/') && /9y|utm_source|best/.test(url))).toEqual([]);
    await page.goto(`${api.url}/console/default/consumption?from=2026-99-99`);
    await page.getByText('Nothing was used in these days.').waitFor();
    const { id } = await post('webhooks', { url: 'https://hooks.example.com/' });
    await page.goto(`${api.url}/console/default/webhooks/${String(id)}?delivery=whd_gone`);
    await page.getByText('The delivery of this link is not among those that are listed.').waitFor();
  });

  test('sees the open part of a page among its tabs on a phone', async () => {
    const viewport = { width: 390, height: 844 };
    const page = await browser.another({ viewport, hasTouch: true, isMobile: true, reducedMotion: 'reduce' });
    const { id } = await post('repositories', { provider: 'local', repo: 'acme/tabs' });
    await browser.signIn(`/console/default/repositories/${String(id)}`, email, page);
    const settings = page.getByRole('tab', { name: 'Settings' });
    await page.getByRole('tab', { name: 'Branches' }).press('End');
    await page.waitForURL(/tab=settings/);
    await page.getByLabel('Default branch').waitFor();
    await expect
      .poll(async () => {
        const { x = 0, width = 0 } = (await settings.boundingBox()) ?? {};
        return x + width;
      })
      .toBeLessThanOrEqual(viewport.width);
  });

  test('leaves the menu of a phone by every way out of it', async () => {
    const viewport = { width: 390, height: 844 };
    const page = await browser.another({ viewport, hasTouch: true, isMobile: true, reducedMotion: 'reduce' });
    await browser.signIn('/console/default/webhooks', email, page);
    const menu = page.getByRole('button', { name: 'Menu' });
    const isOpen = () => menu.getAttribute('aria-expanded');
    await menu.tap();
    await page.keyboard.press('Escape');
    expect(await isOpen()).toBe('false');
    expect(await menu.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Menu');
    await menu.tap();
    await page.getByTitle(email).tap();
    await page.waitForURL(/\/self/);
    await expect.poll(isOpen).toBe('false');
    await menu.tap();
    await page.getByRole('button', { name: 'Search' }).tap();
    await page.getByRole('dialog', { name: 'Search and do' }).waitFor();
    expect(await isOpen()).toBe('false');
  });

  test('gets to the page by the first Tab', async () => {
    const { page } = browser;
    await browser.signIn('/console/default/webhooks', email);
    // The list of pages must scroll.
    await page.setViewportSize({ width: 1_000, height: 400 });
    await page.reload();
    await page.getByRole('navigation').getByRole('link', { name: 'Webhooks' }).waitFor();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('To the page');
  });

  test('sees what has the focus, also in boxes that scroll', async () => {
    const { page } = browser;
    await browser.signIn('/console/default/sessions?view=table', email);
    const name = page.getByRole('link', { name: 'Fix the sums' });
    await name.waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate(cutRings)).toEqual([]);
    await name.click();
    await page.getByRole('button', { name: 'Attach files' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate(cutRings)).toEqual([]);
  });

  test('goes on at the heading of each page that a key or the navigation opens', async () => {
    const { page } = browser;
    await browser.signIn('/console/default/webhooks', email);
    const focused = () => page.evaluate('document.activeElement.outerHTML.replace(/<(\\w+)[^>]*>/, "<$1>")');
    await page.getByRole('navigation').getByRole('link', { name: 'Secrets' }).press('Enter');
    await expect.poll(focused).toBe('<h1>Secrets</h1>');
    await page.keyboard.press('n');
    await expect.poll(focused).toBe('<h1>New secret</h1>');
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Search and do' });
    await palette.getByRole('combobox').fill('Audit');
    await palette.getByRole('option', { name: /Audit/ }).first().click();
    await expect.poll(focused).toBe('<h1>Audit log</h1>');
    for (const [list, heading, next] of [
      ['Automations', 'Automations', 'New automation'],
      ['Webhooks', 'Webhooks', 'New webhook'],
      ['Groups', 'Groups', 'New group'],
      ['Machines', 'Service users', 'New service user'],
      ['Members', 'Members', 'Invite people'],
    ] as const) {
      await page.getByRole('navigation').getByRole('link', { name: list }).press('Enter');
      await expect.poll(focused).toBe(`<h1>${heading}</h1>`);
      await page.keyboard.press('n');
      await expect.poll(focused).toBe(`<h1>${next}</h1>`);
    }
  });

  test('sees where they are in the navigation, wherever they come from', async () => {
    const { page } = browser;
    await page.setViewportSize({ width: 1_000, height: 400 });
    await browser.signIn('/console/default/knowledge', email);
    await page.getByRole('heading', { level: 1, name: 'Knowledge' }).waitFor();
    const go = async (name: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search and do' }).fill(name);
      await page
        .getByRole('option', { name: new RegExp(`^${name}`) })
        .first()
        .click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
    };
    await go('Settings');
    const navigation = page.getByRole('navigation', { name: 'Organization' });
    const topOf = async (what: typeof navigation) => (await what.boundingBox())?.y ?? 0;
    await go('Sessions');
    await expect
      .poll(async () => (await topOf(navigation.getByRole('link', { name: 'Sessions' }))) >= (await topOf(navigation)))
      .toBe(true);
  });

  test('reads that nothing fits a search', async () => {
    const { page } = browser;
    await browser.signIn('/console/default/sessions?q=zzznothing', email);
    const done = page.getByRole('region', { name: 'Done' });
    await done.getByText('Nothing here fits the filters.').waitFor();
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('dialog', { name: 'Search and do' }).getByRole('combobox').fill('zzznothing');
    await page.getByText(/^No session, change request, repository, note, automation or member/).waitFor();
  });

  test('keeps the rows of a list in view when something opens above it', async () => {
    const { page } = browser;
    const { id } = await post('webhooks', { url: 'https://hooks.example.com/', enabled: false });
    const { json: org } = await api.call('GET', organization);
    const delivery = {
      org_id: String(org['id']),
      webhook_id: String(id),
      lane: '',
      event_seq: 1,
      type: 'session.created',
      resource_type: 'session',
      resource_id: '',
      payload: JSON.stringify(Array.from({ length: 40 }, (_, at) => at)),
      response_body: 'no\n'.repeat(40),
      state: 'delivered' as const,
      created_at: new Date(),
    };
    await api.ctx.db.transaction((trx) =>
      insertDeliveries(
        trx,
        Array.from({ length: 80 }, () => delivery),
      ),
    );
    await page.setViewportSize({ width: 700, height: 500 });
    await browser.signIn(`/console/default/webhooks/${String(id)}`, email);
    await page.getByRole('table', { name: 'Deliveries' }).getByRole('link').first().click();
    await page.getByRole('region', { name: 'Last response' }).waitFor();
    await page.evaluate('scrollTo(0, 2_000)');
    const row = 'document.elementFromPoint(500, 60).closest("[role=row]")?.ariaRowIndex';
    await expect.poll(() => page.evaluate(row)).toMatch(/\d/);
  });

  test('reads why a page does not show, and gets back to its list', async () => {
    const { page } = browser;
    const { id } = await post('secrets', { key: 'FAILS', value: 'x' });
    const fail = { status: 500, json: { error: 'internal', message: 'It failed.', request_id: 'req_1' } };
    await page.route(/\/v3\/.*\/secrets\/sec_/, (route) => route.fulfill(fail));
    await browser.signIn(`/console/default/secrets/${String(id)}`, email);
    await page.getByRole('heading', { level: 1, name: 'Secret' }).waitFor();
    await page.getByRole('link', { name: 'All secrets' }).click();
    await page.waitForURL(/\/secrets$/);
    await page.route(/\/v3\/organizations\?/, (route) => route.fulfill(fail));
    await page.goto(`${api.url}/console/`);
    await page.getByText('It failed.').waitFor();
    expect(await page.getByText('This is not here.').count()).toBe(0);
    await page.unroute(/\/v3\/organizations\?/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.waitForURL(/\/default\/sessions/);
  });

  test('reads that their address is not allowed, and sees rows while it is not known what they may', async () => {
    const { page } = browser;
    await browser.signIn('/console/default/webhooks', email);
    const message = 'The address 192.0.2.7 is not allowed.';
    const denied = { status: 403, json: { error: 'ip_not_allowed', message, request_id: 'req_1' } };
    await page.route(/\/v3\//, (route) => route.fulfill(denied));
    await page.goto(`${api.url}/console/default/webhooks`);
    await page.getByText(message).waitFor();
    await page.unroute(/\/v3\//);
    // It never answers.
    await page.route(/\/v3\/self$/, () => undefined);
    await page.reload();
    await page.locator('main [aria-busy=true]').waitFor();
  });

  test('is back where they were after a question, by keys alone', async () => {
    const { page } = browser;
    const { id } = await post('groups', { name: 'Stays' });
    await browser.signIn(`/console/default/groups/${String(id)}`, email);
    const menu = page.getByRole('button', { name: 'More actions' });
    const hasFocus = () => menu.evaluate('document.activeElement?.getAttribute("aria-label")');
    for (const key of ['Escape', 'Enter']) {
      await menu.press('Enter');
      await page.getByRole('menuitem', { name: 'Delete …' }).press('Enter');
      const question = page.getByRole('dialog');
      // Its first button, which has the focus, is Cancel.
      await question.getByRole('button', { name: 'Cancel' }).waitFor();
      await page.keyboard.press(key);
      await question.waitFor({ state: 'detached' });
      await expect.poll(hasFocus).toBe('More actions');
    }
    await page.getByRole('heading', { name: 'Stays' }).waitFor();
  });

  test('is not told that what they deleted is gone, while its list is on the way', async () => {
    const { page } = browser;
    const { id } = await post('groups', { name: 'Leaves' });
    const isGone = page.waitForResponse((one) => one.url().endsWith(`/groups/${String(id)}`) && one.status() === 404);
    const list = await hold(page, 'GET', /\/assets\/GroupsScreen-/);
    await browser.signIn(`/console/default/groups/${String(id)}`, email);
    await page.getByRole('button', { name: 'More actions' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Delete …' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await Promise.all([isGone, list.isSent]);
    await page.getByRole('heading', { name: 'Leaves' }).waitFor({ state: 'detached' });
    expect(await page.getByText('This is not here.').count()).toBe(0);
    await list.pass();
    await page.getByRole('heading', { name: 'Groups' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
    expect(await page.getByText('Leaves').allInnerTexts()).toEqual([]);
    // Who comes back to it is told.
    await page.goBack();
    await page.getByText('This is not here.').waitFor();
  });

  test('goes on at the next one when they remove something, and then at what adds one', async () => {
    const { page } = browser;
    const remove = async (name: string) => {
      const button = page.getByRole('button', { name });
      await button.press('Enter');
      await button.waitFor({ state: 'detached' });
      return page.evaluate('document.activeElement.textContent || document.activeElement.placeholder');
    };
    await browser.signIn('/console/default/sessions?view=table&tag=a&since=7d', email);
    expect(await remove('Tag: a')).toMatch(/^Last 7 days/);
    expect(await remove('Last 7 days')).toBe('Filter');
    await page.goto(`${api.url}/console/default/settings/sandbox`);
    const field = page.getByPlaceholder('Add one').first();
    for (const host of ['a.example', 'b.example']) {
      await field.fill(host);
      await field.press('Enter');
    }
    await remove('Remove a.example');
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Remove b.example');
    expect(await remove('Remove b.example')).toBe('Add one');
  });

  test('reads where a long name begins, also one that is written from the right', async () => {
    const { page } = browser;
    await post('groups', { name: 'فاتورة '.repeat(16) });
    await page.setViewportSize({ width: 700, height: 500 });
    await browser.signIn('/console/default/groups', email);
    await page.getByRole('cell', { name: 'فاتورة' }).waitFor();
    const beyond = await page.evaluate<number>(`(() => {
      const cell = [...document.querySelectorAll('[role=cell]')].find(({ textContent }) => textContent.startsWith('فاتورة'));
      const range = document.createRange();
      range.setStart(document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode(), 0);
      range.setEnd(range.startContainer, 1);
      return range.getBoundingClientRect().right - cell.getBoundingClientRect().right;
    })()`);
    expect(beyond).toBeLessThanOrEqual(0);
  });

  test('narrows the navigation to its icons by a key, and finds it so again', async () => {
    const { page } = browser;
    await browser.signIn('/console/default/webhooks', email);
    const navigation = page.getByRole('navigation', { name: 'Organization' });
    const link = navigation.getByRole('link', { name: 'Webhooks' });
    await link.waitFor();
    const widthOf = async () => (await page.getByRole('banner').boundingBox())?.width;
    expect(await widthOf()).toBe(232);
    await page.keyboard.press('[');
    await expect.poll(widthOf).toBe(56);
    expect(await link.getAttribute('title')).toBe('Webhooks');
    expect(await lookInBothThemes(page, 'the narrow navigation')).toEqual([]);
    await page.reload();
    await link.waitFor();
    expect(await widthOf()).toBe(56);
    await page.getByRole('button', { name: 'Show the names in the navigation' }).click();
    await expect.poll(widthOf).toBe(232);
  });

  test('may widen the right side of a session by what the narrow navigation leaves', async () => {
    const { page } = browser;
    await browser.signIn('/console/default/sessions', email);
    await page.getByRole('link', { name: 'Fix the sums' }).click();
    const edge = page.getByRole('separator', { name: 'Width of the right side' });
    const most = () => edge.getAttribute('aria-valuemax');
    await expect.poll(most).toBe('688');
    await page.keyboard.press('[');
    await expect.poll(most).toBe('864');
    for (let at = 0; at < 12; at += 1) await edge.press('ArrowLeft');
    expect(await edge.getAttribute('aria-valuenow')).toBe('864');
    await page.keyboard.press('[');
    await expect.poll(() => edge.getAttribute('aria-valuenow')).toBe('688');
  });

  test('sees all parts of a session beside its log in a window of 1024 pixels', async () => {
    const { page } = browser;
    await page.setViewportSize({ width: 1024, height: 768 });
    await browser.signIn('/console/default/sessions', email);
    await page.getByRole('link', { name: 'Fix the sums' }).click();
    const parts = page.getByRole('tablist', { name: 'Parts of the session' });
    await expect.poll(() => parts.getByRole('tab').count()).toBe(8);
    const row = `document.querySelector('[role=tablist][aria-label="Parts of the session"]')`;
    await expect.poll(() => page.evaluate(`${row}.scrollWidth - ${row}.clientWidth`)).toBe(0);
  });

  test('finds each page as wide as the phone, and the bar below a selection', async () => {
    const viewport = { width: 390, height: 844 };
    const page = await browser.another({ viewport, hasTouch: true, isMobile: true, reducedMotion: 'reduce' });
    const { id: secret } = await post('secrets', { key: longWord.toUpperCase(), value: 'x' });
    const { id: group } = await post('groups', { name: 'Wide', description: longWord });
    const { id: server } = await post('mcp-servers', {
      name: 'wide',
      description: longWord,
      url: 'https://mcp.example.com/mcp',
    });
    await browser.signIn('/console/default/sessions?view=table', email, page);
    await page.getByRole('checkbox', { name: 'Select Fix the sums' }).tap();
    await page.getByRole('region', { name: 'Selection' }).waitFor();
    expect(await page.getByRole('navigation', { name: 'On a phone' }).isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Menu' }).tap();
    expect((await page.getByRole('button', { name: 'Search' }).boundingBox())?.height).toBe(44);
    for (const path of [`secrets/${String(secret)}`, `groups/${String(group)}`, `mcp-servers/${String(server)}`]) {
      await page.goto(`${api.url}/console/default/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByText(longWord, { exact: false }).first().waitFor({ state: 'attached' });
      await page.getByRole('heading', { level: 2 }).first().waitFor();
      expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, viewport.width]);
    }
  });
});
