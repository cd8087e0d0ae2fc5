import { BrowserError, type BrowserPage } from '../../adapters/browser/port.ts';
import { AppError } from '../../lib/errors.ts';
import { cleanText } from '../session/log/output.ts';

/**
 * Turns a browser's failure into the API's error, which it throws, or into the `problem` field of the answer. Messages name
 * hosts only: they are logged, and a full URL may hold secrets.
 */
export function toProblem(id: string, error: unknown): { problem: 'element_not_found' } {
  if (!(error instanceof BrowserError)) throw error;
  switch (error.code) {
    case 'element_not_found':
      return { problem: 'element_not_found' };
    case 'closed':
      throw new AppError('browser_session_not_found', endedText(id, error.message));
    case 'address_not_allowed':
    case 'navigation_failed':
    case 'navigation_timeout':
      throw new AppError(error.code, withoutAddresses(error.message));
  }
}

/** Tells users of a browser session that its browser ended by itself. */
export function endedText(id: string, why: string): string {
  return `${why} The browser session ${id} is over: start another one.`;
}

/** Removes control characters: the page, or a program in the sandbox, chooses the title and the URL. */
export function cleanPage<T extends BrowserPage>(page: T): T {
  return { ...page, url: cleanText(page.url), title: cleanText(page.title) };
}

function withoutAddresses(message: string): string {
  return message.replaceAll(/\bhttps?:\/\/[^\s"'<>]+/gi, (address) => URL.parse(address)?.host ?? 'the page');
}
