import { ApiError } from './api.ts';
import { hasUnsaved } from './unsaved.ts';

/** What a person reads about a failure. */
export interface Failure {
  title: string;
  message: string;
  requestId: string;
  /** True if the sign-in has ended. */
  needsSignIn: boolean;
}

/** Returns the API's own sentence wherever it gave one. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof ApiError))
    return {
      title: 'Guildhall cannot be reached',
      message: 'Check your connection, and try again.',
      requestId: '',
      needsSignIn: false,
    };
  const { status, message, requestId } = error;
  const needsSignIn = isSignedOut(error);
  const titles: Record<number, string> = { 403: 'Not allowed', 404: 'Not here', 429: 'Too many requests' };
  return {
    title: titles[status] ?? 'That did not work',
    // The API's own sentence is about keys.
    message: needsSignIn ? 'Your sign-in has ended. Sign in again, then repeat this.' : message,
    requestId: requestId ?? '',
    needsSignIn,
  };
}

/** Returns true if what was asked for does not exist, or not any more; nothing has an id that the API refuses. */
export function isGone(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.status === 404 || (error.status === 400 && error.issues.some((issue) => issue.in === 'path'));
}

/** Returns true for a missing sign-in, which a wrong password or key is not. */
function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401 && error.code !== 'invalid_credentials';
}

/** Where the pages before a sign-in are; no organization can have the slug `-`. */
const entrance = '/console/-/';
export const signInPath = `${entrance}sign-in`;

/** Several requests are refused at once, and a second navigation would abort the first. */
let isLeaving = false;

/** Leads to the sign-in page if the sign-in has ended, and back here afterwards; not from a page with unsaved input. */
export function signInIfNeeded(error: unknown): void {
  if (isLeaving || !isSignedOut(error) || hasUnsaved()) return;
  if (location.pathname.startsWith(entrance)) return;
  isLeaving = true;
  const here = `${location.pathname}${location.search}${location.hash}`;
  location.assign(`${signInPath}?return_to=${encodeURIComponent(here)}`);
}
