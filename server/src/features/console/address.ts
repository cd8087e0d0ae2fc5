const start = '/console/';

/**
 * Returns the URL by which a request is routed. Every address of the console is the same page, which says what is not there: one
 * that cannot be decoded or stored, such as `/console/%00`, is routed as the start.
 */
export function routedAddress(url: string): string {
  return url.startsWith(start) && !isReadable(url) ? start : url;
}

function isReadable(url: string): boolean {
  try {
    return !decodeURIComponent(url).includes('\0');
  } catch {
    return false;
  }
}
