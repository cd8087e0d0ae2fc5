import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useConsoleBrowser } from '../../src/features/console/browser-fixture.ts';
import { addressOf, screensIn, screensOf } from '../../src/features/console/screens-fixture.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { describePictures, type Picture } from './index-page.ts';
import { leaveShell, openLiveShop, usePreview, useShell, type LiveShop } from './live.ts';
import { reader } from './people.ts';
import { fill } from './shop.ts';
import type { Shop } from './world.ts';

const folder =
  process.env['GUILDHALL_SCREENSHOTS'] ?? fileURLToPath(new URL('../../../docs/screenshots', import.meta.url));
/** Only routes that contain one of these, separated by commas, are drawn again. */
const only = process.env['GUILDHALL_SCREENSHOTS_ONLY'] ?? '';
const isWanted = (route: string): boolean => only.split(',').some((part) => route.includes(part));
const quality = 40;
const maxTotalBytes = 12 * 1024 * 1024;

const sizes: readonly (readonly [number, BrowserContextOptions])[] = [
  [1440, { viewport: { width: 1440, height: 900 } }],
  [768, { viewport: { width: 768, height: 1024 }, hasTouch: true }],
  [390, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
];
const themes = ['light', 'dark'] as const;

/** Parts of pages that have an address of their own, by the route of their page. */
const parts: Readonly<Record<string, readonly string[]>> = {
  '/$org/sessions': ['view=table'],
  '/$org/sessions/$id': [
    'tab=changes',
    'tab=terminal',
    'tab=plan',
    'tab=artifacts',
    'tab=context',
    'tab=cost',
    'tab=raw',
  ],
  '/$org/repositories/$repository/change-requests/$number': ['tab=conversation'],
  '/$org/automations/$id': ['tab=edit'],
  '/$org/knowledge/try': ['q=add a column for the currency of an invoice&repo=acme/billing'],
  '/$org/memory': ['repo=acme/billing&provider=local'],
  '/$org/agents/$id': ['tab=versions'],
  '/$org/repositories/$id': ['tab=search&kind=text&q=invoice', 'tab=wiki', 'tab=reviews', 'tab=follow', 'tab=settings'],
  '/$org/metrics': ['what=reviews', 'what=change-requests'],
};

/** Returns true for pages with code, which a worker highlights. */
function hasCode(route: string, part: string): boolean {
  return ['tab=changes', 'tab=versions'].includes(part) || (part === '' && route.endsWith('/change-requests/$number'));
}

/** True once every file in sight is highlighted. */
const isHighlighted = `(() => {
  const files = [...document.querySelectorAll('diffs-container')].map(({ shadowRoot }) => shadowRoot);
  const shown = files.filter((file) => file?.querySelector('[data-line]'));
  return shown.length > 0 && shown.every((file) => file.querySelector('[style*="--diffs-token"]'));
})()`;

let api: TestApi;
let shop: Shop;
beforeAll(async () => {
  // Agents that could not work would say so.
  api = await startTestApi({ ANTHROPIC_API_KEY: 'none', OPENAI_API_KEY: 'none' });
  shop = await fill(api);
});
afterAll(() => api.close());

const pictures: Picture[] = [];
let total = 0;

describe('every screen', () => {
  const browser = useConsoleBrowser(() => api);

  test('is drawn in each width and theme', async () => {
    await mkdir(folder, { recursive: true });
    if (only === '')
      for (const name of await readdir(folder)) if (name.endsWith('.webp')) await rm(`${folder}/${name}`);
    const outside = await entrances();
    for (const [width, options] of sizes) {
      const page = await browser.another({ ...options, reducedMotion: 'reduce' });
      await browser.signIn('/console/default/sessions', reader.email, page);
      const screens = screensIn(page);
      await screens.settled();
      const keep = await keeperOf(page, width);
      for (const route of await screensOf(page)) {
        if (!isWanted(route)) continue;
        for (const part of ['', ...(parts[route] ?? [])]) {
          const address = addressOf(route, shop.values);
          // A field takes what the address says when it is drawn first.
          if (part.startsWith('q=')) await screens.goTo('/console/default/welcome');
          await screens.goTo(part === '' ? address : `${address}?${new URLSearchParams(part).toString()}`);
          if (hasCode(route, part)) await expect.poll(() => page.evaluate<boolean>(isHighlighted)).toBe(true);
          const name = nameOf(route, part);
          total += await keep(name);
          if (width === 1440) pictures.push({ name, route, part });
        }
      }
      const guest = await browser.another({ ...options, reducedMotion: 'reduce' });
      const keepGuest = await keeperOf(guest, width);
      for (const [route, address] of outside) {
        if (!isWanted(route)) continue;
        await guest.goto(`${api.url}${address}`);
        await guest.locator('input:visible').first().waitFor();
        const name = nameOf(route.replace('/-/', '/'), '');
        total += await keepGuest(name);
        if (width === 1440) pictures.push({ name, route, part: '' });
      }
    }
  });
});

describe('a sandbox that runs', () => {
  const route = '/$org/sessions/$id';
  let live: LiveShop | undefined;
  beforeAll(async () => {
    if (isWanted(route)) live = await openLiveShop();
  });
  afterAll(() => live?.fixture.close());
  const shopOf = (): LiveShop => {
    if (live === undefined) throw new Error('no sandbox runs');
    return live;
  };
  const browser = useConsoleBrowser(() => shopOf().fixture.api);

  test.runIf(isWanted(route))('is drawn with a shell, and with a preview', async () => {
    for (const [width, options] of sizes) {
      const page = await browser.another({ ...options, reducedMotion: 'reduce' });
      await browser.signIn(shopOf().address, reader.email, page);
      const keep = await keeperOf(page, width);
      for (const [name, part, shows, use] of [
        ['sessions-one-shell', 'tab=terminal&cmd=shell', '', useShell],
        ['sessions-one-preview', 'tab=terminal', 'a preview', usePreview],
      ] as const) {
        await use(page);
        total += await keep(name);
        if (width === 1440) pictures.push({ name, route, part, shows });
      }
      await leaveShell(page);
    }
  });
});

test('the pictures are listed, and small', async () => {
  if (only === '') await writeFile(`${folder}/README.md`, describePictures(pictures));
  expect(total).toBeLessThan(maxTotalBytes);
});

/** Returns the pages before a sign-in, by route, with an address of each. */
async function entrances(): Promise<[string, string][]> {
  const { items } = Object(await shop.ask('POST', '/members/invites', { emails: ['linus@acme.example'] }));
  const { pathname } = new URL(String(items[0].accept_url));
  return [
    ['/-/sign-in', '/console/-/sign-in'],
    ['/-/invites/$token', pathname],
  ];
}

/** Returns a function that keeps a picture of the page in each theme, as WebP, and returns their bytes. */
async function keeperOf(page: Page, width: number): Promise<(name: string) => Promise<number>> {
  const devtools = await page.context().newCDPSession(page);
  return async (name) => {
    let bytes = 0;
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme });
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality });
      const picture = Buffer.from(data, 'base64');
      bytes += picture.length;
      await writeFile(`${folder}/${name}-${width}-${theme}.webp`, picture);
    }
    return bytes;
  };
}

/** `/$org/sessions/$id` with `tab=plan` is `sessions-one-plan`. */
function nameOf(route: string, part: string): string {
  const steps = route.split('/').filter((step) => step !== '' && step !== '$org');
  const words = steps.map((step) => (step.startsWith('$') ? 'one' : step));
  const value = /^(?:tab|view|what)=([\w-]+)/.exec(part)?.[1];
  return [...words, ...(part === '' ? [] : [value ?? 'filled'])].join('-');
}
