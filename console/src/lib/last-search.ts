const searches = new Map<string, string>();

/** Notes the search of the page that is open, for ways back to it. */
export function noteSearch({ pathname, search }: Pick<Location, 'pathname' | 'search'>): void {
  if (search === '') searches.delete(pathname);
  else searches.set(pathname, search);
}

/** Returns the search that a page had when it was last open; '' if it had none. */
export function lastSearchOf(pathname: string): string {
  return searches.get(pathname) ?? '';
}
