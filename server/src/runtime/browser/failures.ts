import { BrowserError, type BrowserPage } from '../../adapters/browser/port.ts';
import { AppError, notFound } from '../../lib/errors.ts';
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
      throw notFound('browser_session', id);
    case 'address_not_allowed':
    case 'navigation_failed':
    case 'navigation_timeout':
      throw new AppError(error.code, withoutAddresses(error.message));
  }
}

/** Removes control characters: the page, or a program in the sandbox, chooses the title and the URL. */
export function cleanPage<T extends BrowserPage>(page: T): T {
  return { ...page, url: cleanText(page.url), title: cleanText(page.title) };
}

function withoutAddresses(message: string): string {
  return message.replaceAll(/\bhttps?:\/\/[^\s"'<>]+/gi, (address) => URL.parse(address)?.host ?? 'the page');
}
