import { useRouter } from '@tanstack/react-router';
import type { MouseEvent } from 'react';
import { lastSearchOf } from '../lib/last-search.ts';

/** Returns a handler for clicks on a link to a list: it leads to the list as the person left it, with its filters. */
export function useBackToList(): (event: MouseEvent) => void {
  const { history } = useRouter();
  return (event) => {
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!isPlain || link === null || link.search !== '') return;
    const search = lastSearchOf(link.pathname);
    if (search === '') return;
    // The link itself would lead to the list without filters.
    event.preventDefault();
    history.push(`${link.pathname}${search}`);
  };
}
