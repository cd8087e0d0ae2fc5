import { useNavigate } from '@tanstack/react-router';
import { copyText } from '../../../../lib/copy.ts';
import { useSearch } from '../../../../lib/useSearch.ts';
import { rangeOf, writtenLines } from './lines.ts';

/** The lines of the shown output that the address names, and a function that links to a line: it copies the address. */
export function useLineLink() {
  const { l } = useSearch({ from: '/$org/sessions/$id' });
  const navigate = useNavigate({ from: '/$org/sessions/$id' });
  const marked = rangeOf(l);
  const link = (line: number, isRange: boolean) => {
    const lines = writtenLines(line, isRange ? marked : undefined);
    const address = new URL(location.href);
    address.searchParams.set('l', lines);
    void copyText(address.href, `The link to line ${lines} is copied`);
    void navigate({ search: (now) => ({ ...now, l: lines }), hash: true, replace: true, resetScroll: false });
  };
  return { marked, link };
}
