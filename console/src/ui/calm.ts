/** The rows that are drawn, by their keys, and how many new ones wait above them. */
export interface CalmRows {
  order: string[];
  waiting: number;
}

/**
 * Returns which rows to draw while somebody reads: those that are drawn already stay in their order, rows that are gone
 * leave, and further ones are appended if they come after all that are drawn; others wait.
 */
export function calmOf(drawn: readonly string[], read: readonly string[]): CalmRows {
  const present = new Set(read);
  const known = new Set(drawn);
  const stay = drawn.filter((key) => present.has(key));
  if (stay.length === 0) return { order: [...read], waiting: 0 };
  const last = read.findLastIndex((key) => known.has(key));
  const later = read.slice(last + 1);
  return { order: [...stay, ...later], waiting: read.length - stay.length - later.length };
}
