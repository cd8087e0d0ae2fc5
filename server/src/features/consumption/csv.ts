/** Characters at which a spreadsheet begins a formula. */
const formula = /^[=+\-@\t\r]/;

/**
 * Returns a line of CSV (RFC 4180). A text that a spreadsheet would run as a formula gets an apostrophe in front.
 */
export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

function cellOf(cell: string | number): string {
  if (typeof cell === 'number') return String(cell);
  const text = formula.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
