import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { PathValues } from '../../../test/support/fixture.ts';

/** Places of the API whose name in the console's addresses is another one. */
const names: Readonly<Record<string, string>> = {
  'knowledge/{noteId}': 'knowledge/notes/{noteId}',
  'agents/{id}': 'agents/{agent_id}',
  'apps/{id}': 'apps/{app_id}',
  'automations/{id}/runs/{runId}': 'automations/runs/{runId}',
  'repositories/{repository}': 'repositories/{id}',
  'repositories/{repository}/change-requests/{number}': 'repositories/{id}/change-requests/{number}',
};

/** Returns the routes of all pages of an organization, as the console in the page knows them. */
export async function screensOf(page: Page): Promise<string[]> {
  const routes = await page.evaluate<string[]>('Object.keys(__TSR_ROUTER__.routesById)');
  return routes.filter((route) => route.startsWith('/$org/') && route !== '/$org/');
}

/** Returns an address that a route leads to. An address is named like the API's resource, which has an instance. */
export function addressOf(route: string, values: PathValues): string {
  const steps = route.split('/').filter((step) => step !== '' && step !== '$org');
  const filled = steps.map((step, at) => {
    if (!step.startsWith('$')) return step;
    const place = steps
      .slice(0, at + 1)
      .map((one) => (one.startsWith('$') ? `{${one.slice(1)}}` : one))
      .join('/');
    const value = values[names[place] ?? place];
    if (value === undefined) throw new Error(`No fixture has a value for ${place}: add it, or its other name.`);
    return encodeURIComponent(value);
  });
  return `/console/default/${filled.join('/')}`;
}

/** '' once the page is drawn, else what it waits for. */
const undrawn = `document.querySelector('h1, main p') === null
  ? 'no heading and no text at ' + location.href
  : (document.querySelector('[aria-busy=true]')?.outerHTML.slice(0, 200) ?? '')`;

/** A page whose requests are counted, so that one knows when it shows everything. */
export interface Screens {
  /** Goes to an address without loading the console again, and waits until it is drawn. */
  goTo(address: string): Promise<void>;
  settled(): Promise<void>;
}

export function screensIn(page: Page): Screens {
  const pending = new Set<unknown>();
  page.on('request', (request) => {
    if (!request.url().includes('/stream')) pending.add(request);
  });
  page.on('requestfinished', (request) => void pending.delete(request));
  page.on('requestfailed', (request) => void pending.delete(request));
  const settled = async (): Promise<void> => {
    for (let quiet = 0; quiet < 4; quiet += 1) {
      await delay(50);
      if (pending.size > 0) quiet = 0;
    }
    await expect.poll(() => page.evaluate<string>(undrawn), { timeout: 120_000 }).toBe('');
  };
  return {
    settled,
    async goTo(address) {
      await page.evaluate(`__TSR_ROUTER__.history.push(${JSON.stringify(address)})`);
      await settled();
    },
  };
}

/** The width of a narrow phone. */
const narrowPx = 360;

/** Returns what is wrong with a page on a narrow phone. */
export async function problemsOnPhone(page: Page): Promise<string[]> {
  const size = page.viewportSize();
  await page.setViewportSize({ width: narrowPx, height: 740 });
  const found = await problemsOf(page);
  if (size !== null) await page.setViewportSize(size);
  return found;
}

/** Returns that a page scrolls sideways, and what on it is too small for a thumb. */
export async function problemsOf(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(findings);
}

/** A target is as large as its label, and as what stands before and after it. A link in a sentence is as large as its words. */
const findings = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => {
  const targets = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button], [role=tab], [role=switch]';
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getBoundingClientRect().width > 1;
  const isInText = (element) =>
    element.matches('a') && element.parentNode.matches('p, li, dd, td, span') &&
    element.parentNode.textContent.trim().length > element.textContent.trim().length;
  const areaOf = (element) => {
    const parts = ['::before', '::after'].map((part) => getComputedStyle(element, part)).filter(({ position }) => position === 'absolute');
    const areas = [element, ...(element.labels ?? [])].map((one) => one.getBoundingClientRect());
    return {
      width: Math.max(...areas.map(({ width }) => width), ...parts.map(({ width }) => parseFloat(width) || 0)),
      height: Math.max(...areas.map(({ height }) => height), ...parts.map(({ height }) => parseFloat(height) || 0)),
    };
  };
  const small = [...document.querySelectorAll(targets)]
    .filter((element) => isShown(element) && !element.disabled && !isInText(element))
    .map((element) => ({ element, area: areaOf(element) }))
    .filter(({ element, area }) => area.height < 43.5 || (area.width < 43.5 && !element.matches('a')))
    .map(({ element, area }) => 'too small, ' + Math.round(area.width) + ' × ' + Math.round(area.height) + ': ' + element.outerHTML.slice(0, 200));
  // The window of a phone grows with what stands beyond it.
  const { scrollWidth, clientWidth } = document.documentElement;
  const within = (element) => { for (let one = element.parentElement; one; one = one.parentElement) if (getComputedStyle(one).overflowX !== 'visible') return true; return false; };
  const widest = scrollWidth <= clientWidth ? undefined : [...document.body.querySelectorAll('*')]
    .filter((element) => element.getBoundingClientRect().right > clientWidth + 1 && !within(element)).at(-1);
  return [...(scrollWidth <= clientWidth ? [] : ['wider than the screen, ' + scrollWidth + ': ' + (widest?.outerHTML ?? '').slice(0, 200)]), ...small];
})`;
