/** What an entry says about a field, and what the newest earlier entry about it said. */
export interface Change {
  field: string;
  after: unknown;
  /** Undefined: no earlier entry names the field. */
  before: { value: unknown; entry: string } | undefined;
}

interface Entry {
  id: string;
  outcome: string;
  changes: object;
}

/** Compares an entry with earlier ones of its resource, newest first. */
export function changesOf(entry: Entry, earlier: readonly Entry[]): Change[] {
  return flat(entry.changes).map(([field, after]) => {
    for (const { id, outcome, changes } of earlier) {
      const found = outcome === 'success' ? flat(changes).find(([name]) => name === field) : undefined;
      if (found !== undefined) return { field, after, before: { value: found[1], entry: id } };
    }
    return { field, after, before: undefined };
  });
}

/** Fields with the fields in them: `limits.per_day.cost_usd`. Lists stay whole. */
function flat(value: object, prefix = '', depth = 0): [string, unknown][] {
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]): [string, unknown][] =>
    depth < 4 && typeof inner === 'object' && inner !== null && !Array.isArray(inner) && Object.keys(inner).length > 0
      ? flat(inner, `${prefix}${name}.`, depth + 1)
      : [[prefix + name, inner]],
  );
}

/** Returns a value for a reader: texts as they are, everything else as JSON. */
export function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 1) ?? '');
  return text.length > 4_000 ? `${text.slice(0, 4_000)} …` : text;
}
