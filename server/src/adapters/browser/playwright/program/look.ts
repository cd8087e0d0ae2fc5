import type { CDPSession, Page } from 'playwright-core';
import { Failed } from './failed.ts';
import { bounds } from './protocol.ts';

/** The longest page that a screenshot shows whole, in CSS pixels. */
const maxHeight = 10_000;
const maxWidth = 4_000;

/** Returns a page's URL and title, within limits. */
export async function identify(page: Page, session: CDPSession): Promise<{ url: string; title: string }> {
  const url = URL.parse(page.url());
  if (url !== null) url.username = url.password = '';
  const title = await read(session, 'document.title', bounds.titleCharacters);
  return { url: clean(url?.href ?? '').slice(0, bounds.urlCharacters), title: title.trim() };
}

/** The text that a page shows, or its HTML as it is now; its beginning where that is too much. */
export async function readContent(session: CDPSession, format: 'text' | 'html'): Promise<string> {
  const find = (selector: string): string => `Document.prototype.querySelector.call(document, '${selector}')`;
  const whole = format === 'text' ? `${find('body')}?.innerText` : `${find('html')}?.outerHTML`;
  return cut(await read(session, whole, bounds.contentBytes + 1), bounds.contentBytes);
}

/** Reads a string in a world whose functions a page cannot replace: no more comes over than was asked for. */
async function read(session: CDPSession, expression: string, characters: number): Promise<string> {
  const { frameTree } = await session.send('Page.getFrameTree');
  const world = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id, worldName: 'guildhall' });
  const { result } = await session.send('Runtime.evaluate', {
    contextId: world.executionContextId,
    expression: `String(${expression} ?? '').slice(0, ${characters})`,
    returnByValue: true,
  });
  return typeof result.value === 'string' ? clean(result.value) : '';
}

/** Of the visible part, or of the whole page as far as it goes. As PNG, or as JPEG where that would be too large. */
export async function takeScreenshot(
  page: Page,
  session: CDPSession,
  options: { fullPage: boolean; timeout: number },
): Promise<{ contentType: string; data: string }> {
  const { timeout, fullPage } = options;
  const area = fullPage ? { fullPage, clip: await areaOf(session) } : {};
  const png = await page.screenshot({ ...area, type: 'png', timeout, scale: 'css' });
  if (png.length <= bounds.pngBytes) return { contentType: 'image/png', data: png.toString('base64') };
  const jpeg = await page.screenshot({ ...area, type: 'jpeg', quality: 70, timeout, scale: 'css' });
  if (jpeg.length <= bounds.imageBytes) return { contentType: 'image/jpeg', data: jpeg.toString('base64') };
  throw new Failed('navigation_failed', 'A picture of this page is too large.');
}

async function areaOf(session: CDPSession): Promise<{ x: number; y: number; width: number; height: number }> {
  const { cssContentSize } = await session.send('Page.getLayoutMetrics');
  const within = (size: number, most: number): number => Math.max(1, Math.min(size, most));
  return {
    x: 0,
    y: 0,
    width: within(cssContentSize.width, maxWidth),
    height: within(cssContentSize.height, maxHeight),
  };
}

/** Replaces what some JSON parsers reject. */
function clean(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

const cutMark = '\n[… cut off here: the page is longer]';

function cut(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  if (encoded.length <= bytes) return text;
  const room = bytes - Buffer.byteLength(cutMark);
  return (
    encoded
      .subarray(0, Math.max(0, room))
      .toString('utf8')
      .replace(/\uFFFD{1,3}$/, '') + cutMark
  );
}
