import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createScratch, openWorld, startPeer, type Peer, type World } from '../../../test/support/gateway.ts';
import { openRange, type Range } from '../../../test/support/ssrf.ts';
import { guardedVisitor } from '../../../test/support/ssrf-visitors.ts';
import type { Sandbox, SandboxDriver } from '../sandbox/port.ts';
import { pageServer } from './page-fixture.ts';
import { BrowserError, type Browser, type BrowserDriver } from './port.ts';

export interface ContractOptions {
  /** The sandboxes that the browsers run in. */
  sandboxes: (root: string) => SandboxDriver;
  /** Whether those have a loopback of their own. */
  loopback: boolean;
}

const limits = { cpu: 2, memory_mb: 2048, disk_mb: 512, pids: 512 };
const soon = { timeoutMs: 15_000 };

/** What every browser driver guarantees. */
export function browserContract(name: string, driver: BrowserDriver, { sandboxes, loopback }: ContractOptions): void {
  describe(`browser ${name}`, () => {
    let scratch: Awaited<ReturnType<typeof createScratch>>;
    let range: Range;
    let world: World;
    let pages: Peer;
    let site: string;
    let sandbox: Sandbox;
    let browser: Browser;

    beforeAll(async () => {
      expect(await driver.probe()).toBe('');
      scratch = await createScratch();
      range = await scratch.closing(openRange());
      pages = await scratch.closing(startPeer(pageServer));
      site = `http://pages.test:${pages.port}`;
      world = await scratch.closing(
        openWorld(
          {
            directory: join(scratch.path, 'doors'),
            lookup: range.lookup,
            egressAllow: [...range.egressAllow, { purpose: '*', target: `pages.test:${pages.port}` }],
          },
          // Behind the gateway lies what is internal as well.
          { network: 'open', api: { url: range.internalUrl, authorization: () => Promise.resolve('Bearer session') } },
        ),
      );
      sandbox = await sandboxes(join(scratch.path, 'sandboxes')).create({
        id: 'browser',
        limits,
        gatewaySocket: world.door.socketPath,
        readOnly: [...driver.readOnly],
      });
      browser = await open();
    }, 60_000);

    afterAll(async () => {
      await browser.close();
      await sandbox.destroy();
      await scratch.dispose();
    });

    const open = (): Promise<Browser> => driver.open({ sandbox, loopback });
    const refusal = async (call: Promise<unknown>): Promise<[string, string]> => {
      const error = await call.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (!(error instanceof BrowserError)) throw new Error(`not refused: ${String(error)}`);
      return [error.code, error.message];
    };
    /** The browser's program and all that descends from it, as `pid:start command`. */
    const family = async (): Promise<string[]> => {
      const { stdout } = await sandbox.exec({
        command: [process.execPath, '-e', listProcesses],
        timeoutMs: 20_000,
        // Without isolation it lists the whole machine.
        keepBytes: 2 ** 20,
      });
      const { mark, all } = parseProcesses(stdout.toString());
      const found = new Set(all.filter((one) => one.command.includes('program/main.ts') && one.mark === mark));
      for (let size = -1; size !== found.size;) {
        size = found.size;
        const pids = new Set([...found].map(({ pid }) => pid));
        for (const one of all) if (pids.has(one.parent)) found.add(one);
      }
      return [...found].map(({ pid, start, command }) => `${pid}:${start} ${command}`);
    };
    const kill = async (some: readonly string[]): Promise<void> => {
      const { exitCode } = await sandbox.exec({
        command: ['kill', '-9', ...some.map((line) => line.split(':')[0] ?? '')],
        timeoutMs: 10_000,
      });
      expect(exitCode).toBe(0);
    };
    /** Waits until none of them lives. */
    const gone = async (former: readonly string[]): Promise<void> => {
      const living = async (): Promise<string[]> => {
        const { stdout } = await sandbox.exec({
          command: [process.execPath, '-e', listProcesses],
          timeoutMs: 20_000,
          keepBytes: 2 ** 20,
        });
        const now = new Set(parseProcesses(stdout.toString()).all.map(({ pid, start }) => `${pid}:${start}`));
        return former.filter((one) => now.has(one.split(' ')[0] ?? ''));
      };
      await expect.poll(living, { timeout: 15_000 }).toEqual([]);
    };

    test('a page comes with its address, title and status', async () => {
      expect(await browser.navigate(`${site}/`, soon)).toEqual({ url: `${site}/`, title: 'Home', status: 200 });
      expect(await browser.navigate(`${site}/moved`, soon)).toMatchObject({ url: `${site}/`, title: 'Home' });
      expect(await browser.navigate(`${site}/missing`, soon)).toMatchObject({ title: 'Not here', status: 404 });
      expect(await browser.navigate(`${site}/auth`, soon)).toMatchObject({ status: 401 });
      expect(await browser.navigate(`${site}/script-moved`, soon)).toMatchObject({ url: `${site}/`, title: 'Home' });
    });

    test('a click follows a link, and text is typed and sent', async () => {
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
      await browser.navigate(`${site}/`, soon);
      expect(await refusal(browser.click('#nowhere', { timeoutMs: 500 }))).toEqual([
        'element_not_found',
        '"#nowhere" is not there, visible and usable, within 0.5 s.',
      ]);
      expect((await refusal(browser.click('a[', soon)))[0]).toBe('element_not_found');
      expect((await refusal(browser.type('a#two', 'x', { ...soon, submit: false })))[0]).toBe('element_not_found');
      expect(await browser.content('text', soon)).toMatchObject({ url: `${site}/`, title: 'Home' });
    });

    test('content is text or HTML, of a bounded size', async () => {
      await browser.navigate(`${site}/`, soon);
      expect((await browser.content('html', soon)).content).toMatch(/^<html><head><title>Home<\/title>/);
      await browser.navigate(`${site}/huge`, soon);
      const { content, title } = await browser.content('text', soon);
      expect(Buffer.byteLength(content)).toBeLessThanOrEqual(1024 * 1024);
      expect(content).toMatch(/\n\[… cut off here: the page is longer\]$/);
      expect(title.length).toBeLessThanOrEqual(1_000);
    });

    test('a screenshot is an image of the window, or of the page as far as that is sensible', async () => {
      await browser.navigate(`${site}/tall`, soon);
      const window = await browser.screenshot({ ...soon, fullPage: false });
      expect(window).toMatchObject({ url: `${site}/tall`, contentType: 'image/png' });
      expect([window.data.readUInt32BE(16), window.data.readUInt32BE(20)]).toEqual([1280, 800]);
      const page = await browser.screenshot({ ...soon, fullPage: true });
      expect([page.data.readUInt32BE(16), page.data.readUInt32BE(20)]).toEqual([1280, 10_000]);
    });

    test('calls that come meanwhile wait, and one that is aborted does not hold up the next', async () => {
      const [one, two] = await Promise.all([browser.navigate(`${site}/two`, soon), browser.content('text', soon)]);
      expect([one.title, two.title]).toEqual(['Two', 'Two']);
      const abort = new AbortController();
      const aborted = browser.navigate(`${site}/never`, { timeoutMs: 1_000, signal: abort.signal });
      abort.abort(new Error('not any more'));
      await expect(aborted).rejects.toThrow('not any more');
      expect(await browser.navigate(`${site}/`, soon)).toMatchObject({ title: 'Home' });
    });

    test('what is no page is an error that says what it is', async () => {
      const failures = {
        '/download': /\/download is a download, and this browser takes none\.$/,
        '/empty': /\/empty answered without a page\.$/,
        '/circle': /ERR_TOO_MANY_REDIRECTS/,
        '/broken': /could not be opened: net::ERR_/,
      };
      for (const [path, message] of Object.entries(failures)) {
        const failed = await refusal(browser.navigate(`${site}${path}`, soon));
        expect(failed).toEqual(['navigation_failed', expect.stringMatching(message)]);
      }
      expect(await refusal(browser.navigate('http://nowhere.invalid/', soon))).toEqual([
        'navigation_failed',
        'The name nowhere.invalid could not be resolved.',
      ]);
      for (const url of [
        'file:///etc/passwd',
        'data:text/html,x',
        'about:blank',
        'view-source:http://a.test/',
        'x',
        '',
      ])
        expect(await refusal(browser.navigate(url, soon))).toEqual([
          'navigation_failed',
          'Only http and https addresses can be opened.',
        ]);
    });

    test('an address that is refused leaves the page empty, also behind a redirect; a refused part leaves the page', async () => {
      const port = new URL(range.internalUrl).port;
      const refused = [
        'address_not_allowed',
        `internal.test:${port} is not reachable: its address is not a public one (loopback).`,
      ];
      const to = encodeURIComponent(`http://internal.test:${port}/`);
      expect(await refusal(browser.navigate(`http://internal.test:${port}/`, soon))).toEqual(refused);
      expect(await refusal(browser.navigate(`https://internal.test:${port}/`, soon))).toEqual(refused);
      expect(await refusal(browser.navigate(`${site}/redirect?to=${to}`, soon))).toEqual(refused);
      expect(await browser.content('text', soon)).toEqual({ url: 'about:blank', title: '', content: '' });
      await browser.navigate(`${site}/link?to=${to}`, soon);
      expect(await refusal(browser.click('a', soon))).toEqual(refused);
      expect(await browser.navigate(`${site}/frame?to=${to}`, soon)).toMatchObject({ title: 'Frame', status: 200 });
    });

    test('dialogs, pop-ups and printing stop nothing', async () => {
      expect(await browser.navigate(`${site}/dialogs`, soon)).toMatchObject({ title: 'null false null' });
      await browser.click('button', soon);
      expect(await browser.navigate(`${site}/popups`, soon)).toMatchObject({ title: 'Pop-ups' });
      await browser.click('button', soon);
      expect(await browser.content('text', soon)).toMatchObject({ title: 'Pop-ups' });
    });

    test('what never comes ends with the time that it was given, and what came of a page is shown', async () => {
      for (const path of ['/never', '/trickle']) {
        const startedAt = performance.now();
        const failed = await refusal(browser.navigate(`${site}${path}`, { timeoutMs: 700 }));
        expect(failed).toEqual(['navigation_timeout', `${site}${path} did not come within 0.7 s.`]);
        expect(performance.now() - startedAt).toBeLessThan(6_000);
      }
      expect(await browser.navigate(`${site}/slow-part`, { timeoutMs: 2_000 })).toMatchObject({ title: 'Slow part' });
    });

    test('a page that keeps its thread busy for ever does not keep the browser', async () => {
      expect((await refusal(browser.navigate(`${site}/busy`, { timeoutMs: 1_500 })))[0]).toBe('navigation_timeout');
      expect(await browser.navigate(`${site}/`, soon)).toMatchObject({ title: 'Home' });
      await browser.navigate(`${site}/busy-later`, soon);
      expect((await refusal(browser.click('button', { timeoutMs: 1_500 })))[0]).toBe('navigation_timeout');
      expect(await browser.navigate(`${site}/`, soon)).toMatchObject({ title: 'Home' });
      const renderers = async () => (await family()).filter((line) => line.includes('type=renderer')).length;
      await expect.poll(renderers, { timeout: 10_000 }).toBe(1);
    });

    test('close leaves no process, and what is asked of a closed browser says that it is', async () => {
      const all = await family();
      expect(all.length).toBeGreaterThan(5);
      await browser.close();
      await browser.ended;
      await gone(all);
      expect(await refusal(browser.content('text', soon))).toEqual(['closed', 'The browser is gone.']);
      browser = await open();
    });

    test.each(['program/main.ts', '--remote-debugging-pipe'])('no process outlives %s', async (part) => {
      await browser.navigate(`${site}/`, soon);
      const all = await family();
      await kill(all.filter((line) => line.includes(part)).slice(0, 1));
      await browser.ended;
      await gone(all);
      expect((await refusal(browser.navigate(`${site}/`, soon)))[0]).toBe('closed');
      browser = await open();
    });

    test('a page that crashed is replaced by the next one', async () => {
      await browser.navigate(`${site}/`, soon);
      await kill((await family()).filter((line) => line.includes('type=renderer')));
      const again = (): Promise<unknown> => browser.navigate(`${site}/`, soon).catch(() => undefined);
      await expect.poll(again, { timeout: 10_000 }).toMatchObject({ title: 'Home' });
    });

    test('no probe of the table reaches anything internal, and none outlasts its time', async () => {
      const visitor = guardedVisitor(browser);
      const wrong: unknown[] = [];
      for (const probe of range.probes(sandbox.gatewayUrl, { each: false })) {
        const { hits, reported, ms } = await range.run(probe, (url) => visitor.visit(url));
        if (hits > 0 || ms > 14_000 || (probe.ends === 'reports' && !reported))
          wrong.push([probe.name, { hits, ms, reported }]);
      }
      expect(wrong).toEqual([]);
    }, 180_000);
  });
}

/** Prints the sandbox's own mark, then every process; the processes of Chromium overwrite their environment. */
const listProcesses = `
  const fs = require('node:fs');
  const markOf = (pid) => /GUILDHALL_SANDBOX=([^\\0]*)/.exec(fs.readFileSync('/proc/' + pid + '/environ', 'latin1'))?.[1] ?? '';
  console.log(JSON.stringify(markOf('self')));
  for (const pid of fs.readdirSync('/proc').filter(Number)) try {
    const stat = fs.readFileSync('/proc/' + pid + '/stat', 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const command = fs.readFileSync('/proc/' + pid + '/cmdline', 'latin1').replaceAll('\\0', ' ');
    if (fields[0] !== 'Z') console.log(JSON.stringify([Number(pid), Number(fields[1]), fields[19], markOf(pid), command]));
  } catch {}
`;

interface ListedProcess {
  pid: number;
  parent: number;
  start: string;
  mark: string;
  command: string;
}

function parseProcesses(printed: string): { mark: string; all: ListedProcess[] } {
  const [mark = '""', ...lines] = printed.trim().split('\n');
  const all = lines.map((line) => {
    const [pid, parent, start, own, command]: [number, number, string, string, string] = JSON.parse(line);
    return { pid, parent, start, mark: own, command };
  });
  return { mark: JSON.parse(mark), all };
}
