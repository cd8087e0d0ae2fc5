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

/** Several requests are refused at once, and a second navigation would abort the first. */
let isLeaving = false;

/** Leads to the sign-in page if the answer was 401, and back here afterwards. */
export function signInIfNeeded(error: unknown): void {
  if (isLeaving || !(error instanceof ApiError) || error.status !== 401) return;
  isLeaving = true;
  const here = `${location.pathname}${location.search}${location.hash}`;
  location.assign(`/sign-in?return_to=${encodeURIComponent(here)}`);
}
