import { BrowserError, type BrowserPage } from '../../adapters/browser/port.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { cleanText } from '../session/log/output.ts';

/**
 * What a browser's failure is for whoever asked: an error of the contract, thrown, or a `problem` of the page. Messages name
 * hosts alone, for they go into logs, and addresses may hold secrets.
 */
export function answerOf(id: string, error: unknown): { problem: 'element_not_found' } {
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

/** A page that wants to may have anything for a title, and what runs in the sandbox may say anything of it. */
export function cleaned<T extends BrowserPage>(page: T): T {
  return { ...page, url: cleanText(page.url), title: cleanText(page.title) };
}

function withoutAddresses(message: string): string {
  return message.replaceAll(/\bhttps?:\/\/[^\s"'<>]+/gi, (address) => URL.parse(address)?.host ?? 'the page');
}
