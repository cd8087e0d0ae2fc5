const searches = new Map<string, string>();

/** Notes the search of the page that is open, for ways back to it. */
export function noteSearch({ pathname, search }: Pick<Location, 'pathname' | 'search'>): void {
  searches.set(pathname, search);
}

/** Returns the search that a page had when it was open last; '' if it had none. */
export function searchLeft(pathname: string): string {
  return searches.get(pathname) ?? '';
}
