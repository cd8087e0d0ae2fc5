import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownRoutes } from '../../../test/support/ssrf-probes.ts';
import { guardedVisitor } from '../../../test/support/ssrf-visitors.ts';
import type { BrowserDriver } from './port.ts';
import { openBrowserWorld, refusalOf, soon, type BrowserWorld, type BrowserWorldOptions } from './world-fixture.ts';

/** Contract of every browser driver. */
export function browserContract(name: string, driver: BrowserDriver, options: BrowserWorldOptions): void {
  inWorld(name, driver, options, (world) => {
    pageTests(world);
    confinementTests(world, options);
  });
}

/** The part of the contract that depends on the sandbox; behaviour of pages does not. */
export function confinementContract(name: string, driver: BrowserDriver, options: BrowserWorldOptions): void {
  inWorld(name, driver, options, (world) => confinementTests(world, options));
}

function inWorld(
  name: string,
  driver: BrowserDriver,
  options: BrowserWorldOptions,
  tests: (world: () => BrowserWorld) => void,
): void {
  describe(`browser ${name}`, () => {
    let world: BrowserWorld;
    beforeAll(async () => {
      world = await openBrowserWorld(driver, options);
    }, 60_000);
    afterAll(() => world.close());
    tests(() => world);
  });
}

/** Behaviour of pages, in any sandbox. */
function pageTests(world: () => BrowserWorld): void {
  test('a page comes with its address, title and status', async () => {
    const { browser, site } = world();
    expect(await browser.navigate(`${site}/`, soon)).toEqual({ url: `${site}/`, title: 'Home', status: 200 });
    expect(await browser.navigate(`${site}/moved`, soon)).toMatchObject({ url: `${site}/`, title: 'Home' });
    expect(await browser.navigate(`${site}/missing`, soon)).toMatchObject({ title: 'Not here', status: 404 });
    expect(await browser.navigate(`${site}/auth`, soon)).toMatchObject({ status: 401 });
    expect(await browser.navigate(`${site}/script-moved`, soon)).toMatchObject({ url: `${site}/`, title: 'Home' });
  });

  test('a click follows a link, and text is typed and sent', async () => {
    const { browser, site } = world();
    await browser.navigate(`${site}/`, soon);
    expect(await browser.click('a#two', soon)).toEqual({ url: `${site}/two`, title: 'Two' });
    await browser.navigate(`${site}/`, soon);
    expect(await browser.type('input[name=q]', 'äpfel & birnen', { ...soon, submit: false })).toMatchObject({
      title: 'Home',
    });
    expect(await browser.type('input[name=q]', 'äpfel & birnen', { ...soon, submit: true })).toMatchObject({
      title: 'Found',
    });
    expect((await browser.content('text', soon)).content).toBe('You asked for äpfel & birnen');
  });

  test('an element that is not there, or a selector that is none, says so and leaves the page', async () => {
    const { browser, site } = world();
    await browser.navigate(`${site}/`, soon);
    expect(await refusalOf(browser.click('#nowhere', { timeoutMs: 500 }))).toEqual([
      'element_not_found',
      '"#nowhere" did not become visible and usable within 0.5 s.',
    ]);
    expect((await refusalOf(browser.click('a[', soon)))[0]).toBe('element_not_found');
    expect((await refusalOf(browser.type('a#two', 'x', { ...soon, submit: false })))[0]).toBe('element_not_found');
    expect(await browser.content('text', soon)).toMatchObject({ url: `${site}/`, title: 'Home' });
  });

  test('content is text or HTML, of a bounded size', async () => {
    const { browser, site } = world();
    await browser.navigate(`${site}/`, soon);
    expect((await browser.content('html', soon)).content).toMatch(/^<html><head><title>Home<\/title>/);
    await browser.navigate(`${site}/huge`, soon);
    const { content, title } = await browser.content('text', soon);
    expect(Buffer.byteLength(content)).toBeLessThanOrEqual(1024 * 1024);
    expect(content).toMatch(/\n\[… cut off here: the page is longer\]$/);
    expect(title.length).toBeLessThanOrEqual(1_000);
  });

  test('a screenshot is an image of the window, or of the page as far as that is sensible', async () => {
    const { browser, site } = world();
    await browser.navigate(`${site}/tall`, soon);
    const window = await browser.screenshot({ ...soon, fullPage: false });
    expect(window).toMatchObject({ url: `${site}/tall`, contentType: 'image/png' });
    expect([window.data.readUInt32BE(16), window.data.readUInt32BE(20)]).toEqual([1280, 800]);
    const page = await browser.screenshot({ ...soon, fullPage: true });
    expect([page.data.readUInt32BE(16), page.data.readUInt32BE(20)]).toEqual([1280, 10_000]);
  });

  test('calls that come meanwhile wait, and one that is aborted does not hold up the next', async () => {
    const { browser, site } = world();
    const [one, two] = await Promise.all([browser.navigate(`${site}/two`, soon), browser.content('text', soon)]);
    expect([one.title, two.title]).toEqual(['Two', 'Two']);
    const abort = new AbortController();
    const aborted = browser.navigate(`${site}/never`, { timeoutMs: 1_000, signal: abort.signal });
    abort.abort(new Error('not any more'));
    await expect(aborted).rejects.toThrow('not any more');
    expect(await browser.navigate(`${site}/`, soon)).toMatchObject({ title: 'Home' });
  });

  test('what is no page is an error that says what it is', async () => {
    const { browser, site } = world();
    const failures = {
      '/download': /\/download is a download, which this browser does not support\.$/,
      '/empty': /\/empty returned no page\.$/,
      '/circle': /ERR_TOO_MANY_REDIRECTS/,
      '/broken': /could not be opened: net::ERR_/,
    };
    for (const [path, message] of Object.entries(failures)) {
      const failed = await refusalOf(browser.navigate(`${site}${path}`, soon));
      expect(failed).toEqual(['navigation_failed', expect.stringMatching(message)]);
    }
    expect(await refusalOf(browser.navigate('http://nowhere.invalid/', soon))).toEqual([
      'navigation_failed',
      'The name nowhere.invalid could not be resolved.',
    ]);
    for (const url of ['file:///etc/passwd', 'data:text/html,x', 'about:blank', 'view-source:http://a.test/', 'x', ''])
      expect(await refusalOf(browser.navigate(url, soon))).toEqual([
        'navigation_failed',
        'Only http and https URLs can be opened.',
      ]);
  });

  test('dialogs, pop-ups and printing stop nothing', async () => {
    const { browser, site } = world();
    expect(await browser.navigate(`${site}/dialogs`, soon)).toMatchObject({ title: 'null false null' });
    await browser.click('button', soon);
    expect(await browser.navigate(`${site}/popups`, soon)).toMatchObject({ title: 'Pop-ups' });
    await browser.click('button', soon);
    expect(await browser.content('text', soon)).toMatchObject({ title: 'Pop-ups' });
  });

  test('what never comes ends with the time that it was given, and what came of a page is shown', async () => {
    const { browser, site } = world();
    for (const path of ['/never', '/trickle']) {
      const startedAt = performance.now();
      const failed = await refusalOf(browser.navigate(`${site}${path}`, { timeoutMs: 700 }));
      expect(failed).toEqual(['navigation_timeout', `${site}${path} did not load within 0.7 s.`]);
      expect(performance.now() - startedAt).toBeLessThan(6_000);
    }
    expect(await browser.navigate(`${site}/slow-part`, { timeoutMs: 2_000 })).toMatchObject({ title: 'Slow part' });
  });

  test('a page that keeps its thread busy for ever does not keep the browser', async () => {
    const { browser, processes, site } = world();
    expect((await refusalOf(browser.navigate(`${site}/busy`, { timeoutMs: 700 })))[0]).toBe('navigation_timeout');
    expect(await browser.navigate(`${site}/`, soon)).toMatchObject({ title: 'Home' });
    await browser.navigate(`${site}/busy-later`, soon);
    expect((await refusalOf(browser.click('button', { timeoutMs: 1_500 })))[0]).toBe('navigation_timeout');
    expect(await browser.navigate(`${site}/`, soon)).toMatchObject({ title: 'Home' });
    const renderers = async () => (await processes.family()).filter((line) => line.includes('type=renderer')).length;
    await expect.poll(renderers, { timeout: 10_000 }).toBe(1);
  });
}

/** Isolation of a browser, to which the sandbox contributes. */
function confinementTests(world: () => BrowserWorld, { loopback }: BrowserWorldOptions): void {
  test('an address that is refused leaves the page empty, also behind a redirect; a refused part leaves the page', async () => {
    const { browser, range, site } = world();
    const port = new URL(range.internalUrl).port;
    const refused = [
      'address_not_allowed',
      `internal.test:${port} is not reachable: its address is not public (loopback).`,
    ];
    const to = encodeURIComponent(`http://internal.test:${port}/`);
    expect(await refusalOf(browser.navigate(`http://internal.test:${port}/`, soon))).toEqual(refused);
    expect(await refusalOf(browser.navigate(`https://internal.test:${port}/`, soon))).toEqual(refused);
    expect(await refusalOf(browser.navigate(`${site}/redirect?to=${to}`, soon))).toEqual(refused);
    expect(await browser.content('text', soon)).toEqual({ url: 'about:blank', title: '', content: '' });
    await browser.navigate(`${site}/link?to=${to}`, soon);
    expect(await refusalOf(browser.click('a', soon))).toEqual(refused);
    expect(await browser.navigate(`${site}/frame?to=${to}`, soon)).toMatchObject({ title: 'Frame', status: 200 });
  });

  test('close leaves no process, and what is asked of a closed browser says that it is', async () => {
    const { browser, processes } = world();
    const all = await processes.family();
    expect(all.length).toBeGreaterThan(5);
    await browser.close();
    await browser.ended;
    await processes.gone(all);
    expect(await refusalOf(browser.content('text', soon))).toEqual(['closed', 'The browser has ended.']);
    await world().reopen();
  });

  test.each(['program/main.ts', '--remote-debugging-pipe'])('no process outlives %s', async (part) => {
    const { browser, processes, site } = world();
    await browser.navigate(`${site}/`, soon);
    const all = await processes.family();
    await processes.kill(all.filter((line) => line.includes(part)).slice(0, 1));
    await browser.ended;
    await processes.gone(all);
    expect((await refusalOf(browser.navigate(`${site}/`, soon)))[0]).toBe('closed');
    await world().reopen();
  });

  test('a page that crashed says so at once, and is replaced by the next one', async () => {
    const { browser, processes, site } = world();
    const killPage = async (): Promise<void> =>
      processes.kill((await processes.family()).filter((line) => line.includes('type=renderer')));
    await browser.navigate(`${site}/`, soon);
    await killPage();
    expect(await refusalOf(browser.content('text', soon))).toEqual([
      'navigation_failed',
      expect.stringContaining('The page crashed'),
    ]);
    await killPage();
    const again = (): Promise<unknown> => browser.navigate(`${site}/`, soon).catch(() => undefined);
    await expect.poll(again, { timeout: 10_000 }).toMatchObject({ title: 'Home' });
  });

  // A sandbox with its own loopback cannot reach the host's, except for the gateway.
  const which = loopback ? 'one probe of each group, and all of the gateway' : 'the whole table of probes';
  test(`${which}: none reaches anything internal, and none outlasts its time`, async () => {
    const { browser, range, sandbox } = world();
    const visitor = guardedVisitor(browser);
    const wrong: unknown[] = [];
    const tried = new Set<string>();
    for (const probe of range.probes(sandbox.gatewayUrl, { each: false })) {
      if (loopback && probe.group !== ownRoutes && tried.has(probe.group)) continue;
      tried.add(probe.group);
      const { hits, reported, ms } = await range.run(probe, (url) => visitor.visit(url));
      if (hits > 0 || ms > 14_000 || (probe.ends === 'reports' && !reported))
        wrong.push([probe.name, { hits, ms, reported }]);
    }
    expect(wrong).toEqual([]);
  }, 180_000);
}
