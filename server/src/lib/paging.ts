import { decodeCursor, encodeCursor } from './cursor.ts';

/** A page of a list. */
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

/** A page ends with the item that exceeds this number of characters, whatever its limit. */
const pageCharacters = 1_048_576;
/** Rows are read in batches of this size, so that at most one batch is loaded beyond the page. */
const stepRows = 50;

/**
 * Returns a page of a keyset-paginated list, with fewer items than requested where they are large. `rows` returns up to `limit`
 * rows after the position `after`; `total` counts all matches. `list` and `filters` bind the cursor; the `position` of a row
 * defaults to its id.
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
  // An empty page ends with "", which starts again from the beginning.
  const after = cursor === '' ? undefined : decodeCursor(list, filters, cursor);
  const [{ items, isMore }, total] = await Promise.all([
    readItems(options.rows, position, after, first),
    options.total(),
  ]);
  const last = items.at(-1);
  return {
    items,
    end_cursor: last === undefined ? '' : encodeCursor(list, filters, position(last)),
    has_next_page: isMore,
    total,
  };
}

async function readItems<T>(
  rows: (after: string | undefined, limit: number) => Promise<T[]>,
  position: (row: T) => string,
  after: string | undefined,
  first: number,
): Promise<{ items: T[]; isMore: boolean }> {
  const items: T[] = [];
  let characters = 0;
  for (let from = after; ;) {
    const wanted = Math.min(stepRows, first - items.length);
    const found = await rows(from, wanted + 1);
    for (const row of found.slice(0, wanted)) {
      if (characters > pageCharacters) return { items, isMore: true };
      characters += charactersIn(row);
      items.push(row);
    }
    const last = items.at(-1);
    if (found.length <= wanted || items.length === first || last === undefined)
      return { items, isMore: found.length > wanted };
    from = position(last);
  }
}

/** Returns the approximate length of a row as JSON. */
function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  return Object.entries(value).reduce((sum, [key, part]) => sum + key.length + charactersIn(part), 0);
}
