/** Reads two versions from an address, such as `3..5`; undefined for anything else. */
export function rangeOf(text: string | undefined, newest: number): { from: number; to: number } | undefined {
  const [, first, second] = /^(\d{1,9})\.\.(\d{1,9})$/.exec(text ?? '') ?? [];
  const [from, to] = [Number(first), Number(second)];
  const isThere = (version: number) => Number.isInteger(version) && version >= 1 && version <= newest;
  return isThere(from) && isThere(to) ? { from, to } : undefined;
}

const longest = 4_000;

/** Returns a JSON value as a text of bounded length. */
export function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return text.length > longest ? `${text.slice(0, longest)} …` : text;
}
