import type { Column } from './column.ts';

/** Which rows of a table are selected. */
export interface Selection<Row> {
  /** Their keys. */
  selected: ReadonlySet<string>;
  onChange: (selected: ReadonlySet<string>) => void;
  nameOf: (row: Row) => string;
}

/** Returns the column that selects rows, and in its head all that are read. */
export function selectColumn<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  { selected, onChange, nameOf }: Selection<Row>,
): Column<Row> {
  const areAll = rows.length > 0 && rows.every((row) => selected.has(keyOf(row)));
  const toggle = (keys: readonly string[], on: boolean) => {
    const next = new Set(selected);
    for (const key of keys)
      if (on) next.add(key);
      else next.delete(key);
    onChange(next);
  };
  const box = (label: string, checked: boolean, keys: readonly string[]) => (
    // Above the link that fills the row.
    <label className="relative z-1 grid size-(--target) place-items-center">
      <input
        type="checkbox"
        aria-label={label}
        checked={checked}
        onChange={({ target }) => toggle(keys, target.checked)}
        className="size-4 accent-accent"
      />
    </label>
  );
  return {
    name: 'Select',
    head: box('Select all', areAll, rows.map(keyOf)),
    width: 'var(--target)',
    cell: (row) => box(`Select ${nameOf(row)}`, selected.has(keyOf(row)), [keyOf(row)]),
  };
}
