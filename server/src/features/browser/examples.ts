import type { Examples } from '../../http/examples.ts';
import type { Click, CreateBrowserSession, Navigate, ReadContent, TakeScreenshot, TypeText } from './schemas.ts';

const sessionId = 'brs_06ghd1amr9szne28wyrnmz0pcg';

export const createBrowserSession: Examples<typeof CreateBrowserSession> = {
  'A browser whose pictures a session keeps': { session_id: 'ses_06gj7vwp9srq1bzr3h0z3mqmnr' },
};

export const navigate: Examples<typeof Navigate> = {
  'Open a page': { sessionId, url: 'https://shop.example.com/cart' },
};

export const click: Examples<typeof Click> = {
  'Click a button': { sessionId, selector: 'button[name=checkout]' },
};

export const typeText: Examples<typeof TypeText> = {
  'Fill a field and press Enter': { sessionId, selector: '#coupon', text: 'SPRING10', submit: true },
};

export const readContent: Examples<typeof ReadContent> = {
  'The text of the page': { sessionId, format: 'text' },
};

export const takeScreenshot: Examples<typeof TakeScreenshot> = {
  'The whole page': { sessionId, full_page: true },
};
