import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** A complaint of axe: its rule, and the element. */
interface Finding {
  id: string;
  where: string;
}

/** Runs axe on what a selector finds, or on the whole page for '', with all rules or with one. */
async function look(page: Page, within: string, only?: string): Promise<Finding[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source);
  const rules = only === undefined ? '' : `runOnly: [${JSON.stringify(only)}],`;
  return page.evaluate<Finding[]>(`axe.run(${within === '' ? 'document' : JSON.stringify(within)},
    { ${rules} preload: false, resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.slice(0, 3).map(({ html, any }) => ({ id, where: html.slice(0, 200) + ' ' + (any[0]?.message ?? '') }))))`);
}

/** Runs axe on what a selector finds in the light theme, and its rule of contrast in the dark one; says what it looked at. */
export async function lookInBothThemes(page: Page, what: string, within = ''): Promise<string[]> {
  // A colour on its way to the other theme's has no contrast of its own.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const inLight = await look(page, within);
  await page.evaluate('document.documentElement.dataset.theme = "dark"');
  const inDark = await look(page, within, 'color-contrast');
  await page.evaluate('document.documentElement.dataset.theme = "light"');
  return [...inLight, ...inDark].map(({ id, where }) => `${what} ${id}: ${where}`);
}
