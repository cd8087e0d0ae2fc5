/** Returns the pieces of a text outside of the ranges from `begin` to the next `end`. An unclosed range is kept. */
export function outside(text: string, begin: string, end: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (;;) {
    const at = text.indexOf(begin, from);
    const stop = at < 0 ? -1 : text.indexOf(end, at + begin.length);
    if (stop < 0) return [...pieces, text.slice(from)];
    pieces.push(text.slice(from, at));
    from = stop + end.length;
  }
}
