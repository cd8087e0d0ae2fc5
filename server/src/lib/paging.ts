import { decodeCursor, encodeCursor } from './cursor.ts';

/** A page of a list, as every list answers it. */
export interface Page<T> {
  items: T[];
  end_cursor: string;
  has_next_page: boolean;
  total: number;
}

export interface PageQuery {
  first?: number | undefined;
  after?: string | undefined;
}

/**
 * One page of a keyset-paginated list. `rows` answers up to `limit` rows behind the position `after`; `total` counts
 * all that match. `list` and `filters` bind the cursor; `position` of a row is its id unless told otherwise.
 */
export async function paginate<T extends { id: string }>(options: {
  list: string;
  filters: Record<string, unknown>;
  query: PageQuery;
  rows: (after: string | undefined, limit: number) => Promise<T[]>;
  total: () => Promise<number>;
  position?: (row: T) => string;
}): Promise<Page<T>> {
  const { list, filters, query, position = (row: T) => row.id } = options;
  const { first = 50, after: cursor = '' } = query;
  // An empty page ends with "": whoever sends that back begins again.
  const after = cursor === '' ? undefined : decodeCursor(list, filters, cursor);
  const [found, total] = await Promise.all([options.rows(after, first + 1), options.total()]);
  const items = found.slice(0, first);
  const last = items.at(-1);
  return {
    items,
    end_cursor: last === undefined ? '' : encodeCursor(list, filters, position(last)),
    has_next_page: found.length > first,
    total,
  };
}
