import type { ReactNode } from 'react';

/** A column of a table. */
export interface Column<Row> {
  name: string;
  /** What stands in its head in place of its name. */
  head?: ReactNode;
  /** Its track in the grid, such as `96px`; `minmax(0,1fr)` by default. */
  width?: string;
  /** Only from 640 px on, or from 1,200 px on. */
  wide?: boolean | 'lg';
  align?: 'end';
  cell: (row: Row) => ReactNode;
}
