const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Formats a size for people, e.g. `1.5 GiB`. */
export function shownBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  return `${Number((bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1))} ${units[power] ?? ''}`;
}

/** Parses `500MiB`, `1.5 GiB` or a plain number of bytes; undefined for anything else. */
export function parseBytes(text: string): number | undefined {
  const [, number = '', unit = 'B'] = /^(\d{1,15}(?:\.\d{1,3})?) ?(B|KiB|MiB|GiB|TiB)?$/.exec(text) ?? [];
  const power = units.findIndex((known) => known === unit);
  const bytes = Math.round(Number(number) * 1024 ** power);
  return number === '' || power < 0 || !Number.isSafeInteger(bytes) ? undefined : bytes;
}
