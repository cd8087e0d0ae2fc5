import { recall, remember } from './storage.ts';

/** A page that was open before. */
export interface Recent {
  /** Below `/console`. */
  path: string;
  title: string;
}

const most = 8;

/** Returns the pages of an organization that were open last, the latest first. */
export function recents(org: string): Recent[] {
  try {
    const stored: unknown = JSON.parse(recall(`recent/${org}`) ?? '[]');
    return Array.isArray(stored) ? stored.flatMap(read) : [];
  } catch {
    return [];
  }
}

function read(stored: unknown): Recent[] {
  const { path, title }: Partial<Recent> = Object(stored);
  return typeof path === 'string' && path.startsWith('/') && typeof title === 'string' ? [{ path, title }] : [];
}

/** Notes that a page is open; lists are not noted, since the navigation has them. */
export function noteRecent(address: string, title: string): void {
  const path = pathOf(address);
  const [, org = '', , id = ''] = path.split('/');
  // The pages before a sign-in belong to no organization, and the address of an invitation is a secret.
  if (['', '-'].includes(org) || id === '' || id === 'new') return;
  const others = recents(org).filter((one) => one.path !== path);
  remember(`recent/${org}`, JSON.stringify([{ path, title }, ...others].slice(0, most)));
}

/** Forgets a page that is not there any more. */
export function forgetRecent(address: string): void {
  const path = pathOf(address);
  const [, org = ''] = path.split('/');
  const all = recents(org);
  const others = all.filter((one) => one.path !== path);
  if (others.length < all.length) remember(`recent/${org}`, JSON.stringify(others));
}

function pathOf(address: string): string {
  return address.replace(/^\/console/, '');
}
