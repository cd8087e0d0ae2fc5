import { infiniteQueryOptions, keepPreviousData, type QueryKey } from '@tanstack/react-query';

/** A page of a list, as the API answers it. */
export interface ListPage<Row> {
  items: Row[];
  has_next_page: boolean;
  end_cursor: string | null;
  total?: number | null;
}

/** What a list's request says about the page that it wants. */
export interface PageQuery {
  first: number;
  after?: string;
}

/** A list that is read 50 at a time. */
export function listOptions<Row>(
  queryKey: QueryKey,
  read: (page: PageQuery, signal: AbortSignal) => Promise<ListPage<Row>>,
) {
  return infiniteQueryOptions({
    queryKey,
    initialPageParam: '',
    queryFn: ({ pageParam: after, signal }) => read({ first: 50, ...(after === '' ? {} : { after }) }, signal),
    getNextPageParam: ({ has_next_page: hasNext, end_cursor: end }) => (hasNext ? (end ?? undefined) : undefined),
    placeholderData: keepPreviousData,
  });
}

/** Reads texts of an address by their names; what is missing or no text is left out. */
export function textsOf<const Name extends string>(
  search: Record<string, unknown>,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const texts: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = search[name];
    // The router parses what looks like JSON, such as a number.
    if (['string', 'number', 'boolean'].includes(typeof value) && value !== '') texts[name] = String(value);
  }
  return texts;
}
