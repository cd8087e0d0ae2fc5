/** Where the console begins. */
export const start = '/console/';

/** Returns the address to open after a sign-in: always on this site, whatever was wanted. */
export function destinationOf(wanted: string | undefined, origin: string): string {
  const url = wanted === undefined ? null : URL.parse(wanted, origin);
  // A path that begins with two slashes leads to another site.
  if (url === null || url.origin !== origin || url.pathname.startsWith('//')) return start;
  return `${url.pathname}${url.search}${url.hash}`;
}
