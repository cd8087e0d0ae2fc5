import { ApiError } from './api.ts';

/** What a person reads about a failure. */
export interface Failure {
  title: string;
  message: string;
  requestId: string;
}

/** Returns the API's own sentence wherever it gave one. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof ApiError))
    return { title: 'Guildhall cannot be reached', message: 'Check your connection, and try again.', requestId: '' };
  const { status, message, requestId } = error;
  const titles: Record<number, string> = { 403: 'Not allowed', 404: 'Not here', 429: 'Too many requests' };
  return { title: titles[status] ?? 'That did not work', message, requestId: requestId ?? '' };
}

/** Where the pages before a sign-in are; no organization can have the slug `-`. */
const entrance = '/console/-/';
export const signInPath = `${entrance}sign-in`;

/** Several requests are refused at once, and a second navigation would abort the first. */
let isLeaving = false;

/** Leads to the sign-in page if the answer was 401, and back here afterwards. A wrong password or key is no missing sign-in. */
export function signInIfNeeded(error: unknown): void {
  if (isLeaving || !(error instanceof ApiError) || error.status !== 401 || error.code === 'invalid_credentials') return;
  if (location.pathname.startsWith(entrance)) return;
  isLeaving = true;
  const here = `${location.pathname}${location.search}${location.hash}`;
  location.assign(`${signInPath}?return_to=${encodeURIComponent(here)}`);
}
