import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createLiveFixture, type LiveFixture } from '../../../test/support/live-sessions.ts';
import { lookInBothThemes } from './axe-fixture.ts';
import { createPerson, useConsoleBrowser } from './browser-fixture.ts';

const email = 'live@example.com';
const server = `node -e "require('http').createServer((request, response) => { response.setHeader('content-type', 'text/html'); response.end('<title>Made here</title><h1>Hello from ' + request.url + '</h1>') }).listen(3000, '127.0.0.1')" &`;

let fixture: LiveFixture;
beforeAll(async () => {
  fixture = await createLiveFixture();
  await fixture.worker();
  await createPerson(fixture.api, email, 'member');
  await createPerson(fixture.api, 'viewer@example.com', 'viewer');
});
afterAll(() => fixture.close());

/** Counts the longest time between two frames. */
const watchFrames = `{
  window.longestFrame = 0;
  let last = performance.now();
  const next = (now) => { window.longestFrame = Math.max(window.longestFrame, now - last); last = now; requestAnimationFrame(next); };
  requestAnimationFrame(next);
}`;

describe('a sandbox that runs', () => {
  const browser = useConsoleBrowser(() => fixture.api);
  beforeEach(() => browser.page.emulateMedia({ reducedMotion: 'reduce' }));
  const shellOn = (page: Page) => page.getByRole('region', { name: 'Shell' });

  async function enter(page: Page, command: string): Promise<void> {
    await page.keyboard.type(command);
    await page.keyboard.press('Enter');
  }

  test('has a shell in the page, which stays while one looks elsewhere, and previews of its servers', async () => {
    const { page } = browser;
    await page.setViewportSize({ width: 1440, height: 900 });
    const { id } = await fixture.live({ title: 'A live one' });
    await browser.signIn(`/console/default/sessions/${id}?tab=terminal`, email);
    await page.getByRole('button', { name: 'Open a shell' }).click();
    const shell = shellOn(page);
    const field = shell.getByRole('textbox', { name: 'Shell' });
    const takesKeys = () => shell.locator('textarea:focus').waitFor({ state: 'attached' });
    await takesKeys();
    await shell.getByText(/[#$]$/).first().waitFor();
    await enter(page, 'echo "sum: $((40+2))"');
    await shell.getByText('sum: 42', { exact: true }).waitFor();
    // A character of several keys comes as text.
    await page.keyboard.insertText('printf "\\033[1;31m%s\\033[0m\\n" 漢字-é');
    await page.keyboard.press('Enter');
    await expect.poll(() => shell.locator('.text-bad').allTextContents()).toEqual(['漢', '字', '-', 'é']);
    // It gets Ctrl-C only once it runs in the foreground.
    await enter(page, "sh -c 'echo kept; exec sleep 60'");
    await shell.getByText('kept', { exact: true }).waitFor();
    await page.keyboard.press('Control+c');
    await enter(page, 'echo "code $?"');
    await shell.getByText('code 130', { exact: true }).waitFor();
    expect(await lookInBothThemes(page, 'an open shell')).toEqual([]);

    await enter(page, 'was=$(stty size); echo "size: $was"');
    await shell.getByText(/^size: \d+ \d+$/).waitFor();
    await page.setViewportSize({ width: 768, height: 700 });
    await page.getByRole('tab', { name: 'Log' }).waitFor();
    await takesKeys();
    await enter(page, 'until [ "$(stty size)" != "$was" ]; do sleep 0.1; done; echo "then: $(stty size)"');
    await shell.getByText(/^then: \d+ \d+$/).waitFor();

    await page.evaluate(watchFrames);
    await enter(page, 'yes "$(printf %0100d 7)" | head -n 30000; echo "all $((1+1))"');
    await shell.getByText('all 2', { exact: true }).waitFor();
    expect(await page.evaluate<number>('window.longestFrame')).toBeLessThan(1_000);
    expect(await shell.locator('.h-4').count()).toBeLessThan(200);

    await page.keyboard.press('Shift+Escape');
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('All commands');
    await page.getByRole('tab', { name: 'Evidence' }).click();
    await page.getByRole('tab', { name: 'Terminal' }).click();
    await shell.getByText('all 2', { exact: true }).waitFor();
    await field.focus();
    await enter(page, server);
    await shell.getByRole('button', { name: 'All commands' }).click();
    await page.getByRole('button', { name: 'Preview a port' }).click();
    const form = page.getByRole('dialog', { name: 'Preview a port' });
    await form.getByRole('spinbutton', { name: 'Port' }).fill('3999');
    await form.getByRole('button', { name: 'Open the preview' }).click();
    await form.getByText(/Nothing listens on port 3999/).waitFor();
    expect(await lookInBothThemes(page, 'a preview that fails', '[role=dialog]')).toEqual([]);
    await form.getByRole('spinbutton', { name: 'Port' }).fill('3000');
    await form.getByRole('textbox', { name: 'Path' }).fill('/docs?a=b');
    const opened = page.context().waitForEvent('page');
    await form.getByRole('button', { name: 'Open the preview' }).click();
    const preview = await opened;
    await preview.getByRole('heading', { name: 'Hello from /docs?a=b' }).waitFor();
    expect(preview.url()).toMatch(/\/preview\/3000\/~[\w-]+\/docs\?a=b$/);
    await preview.close();

    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Open a shell' }).click();
    await takesKeys();
    await enter(page, 'exit 3');
    await shell.getByRole('alert').getByText('The shell ended with exit code 3.').waitFor();
    expect(await lookInBothThemes(page, 'a shell that ended')).toEqual([]);
    await shell.getByRole('button', { name: 'Open again' }).click();
    await shell.getByRole('alert').waitFor({ state: 'detached' });
    await takesKeys();
    await enter(page, 'echo "again $((2+2))"');
    await shell.getByText('again 4', { exact: true }).waitFor();
    await shell.getByRole('button', { name: 'End the shell' }).click();
    await shell.waitFor({ state: 'detached' });

    const other = await browser.another();
    await browser.signIn(`/console/default/sessions/${id}?tab=terminal&cmd=shell`, 'viewer@example.com', other);
    await other.getByText(/A shell takes the permission run/).waitFor();
    expect(await other.getByRole('button', { name: 'Open a shell' }).count()).toBe(0);
  });
});
