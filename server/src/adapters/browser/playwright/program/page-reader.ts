import type { CDPSession, Page } from 'playwright-core';
import { CommandFailed } from './command-failure.ts';
import { bounds } from './protocol.ts';

/** Maximum height of a full-page screenshot, in CSS pixels. */
const maxHeight = 10_000;
const maxWidth = 4_000;

/** Returns a page's URL and title, within limits. */
export async function identify(page: Page, session: CDPSession): Promise<{ url: string; title: string }> {
  const url = URL.parse(page.url());
  if (url !== null) url.username = url.password = '';
  const title = await read(session, 'document.title', bounds.titleCharacters);
  return { url: clean(url?.href ?? '').slice(0, bounds.urlCharacters), title: title.trim() };
}

/** Returns a page's visible text or current HTML, cut if it is too long. */
export async function readContent(session: CDPSession, format: 'text' | 'html'): Promise<string> {
  const find = (selector: string): string => `Document.prototype.querySelector.call(document, '${selector}')`;
  const whole = format === 'text' ? `${find('body')}?.innerText` : `${find('html')}?.outerHTML`;
  return cut(await read(session, whole, bounds.contentBytes + 1), bounds.contentBytes);
}

/** Evaluates an expression in an isolated world, whose functions the page cannot replace, and limits the result's length. */
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

/** Takes a screenshot of the visible part, or of the page up to the maximum size: a PNG, or a JPEG if the PNG is too large. */
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
  throw new CommandFailed('navigation_failed', 'The screenshot of this page is too large.');
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

/** Replaces characters that some JSON parsers reject. */
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
