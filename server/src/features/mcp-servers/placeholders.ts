/** `${NAME}`, which stands for a secret of the server. */
const placeholder = /\$\{([A-Za-z_][A-Za-z0-9_]{0,127})\}/g;

/** The names of the secrets that a value takes. */
export function namesIn(value: string): string[] {
  return [...value.matchAll(placeholder)].map(([, name = '']) => name);
}

/** What a value says beside its placeholders; they become spaces. */
export function literalPart(value: string): string {
  return value.replaceAll(placeholder, ' ');
}

/** The values with secrets in place of their names; those that have none are named in `missing`, and left out. */
export function filled(
  values: Readonly<Record<string, string>>,
  secrets: ReadonlyMap<string, string>,
): { values: Record<string, string>; missing: string[] } {
  const missing = new Set<string>();
  const entries = Object.entries(values).flatMap(([key, value]) => {
    const unknown = namesIn(value).filter((name) => !secrets.has(name));
    for (const name of unknown) missing.add(name);
    return unknown.length > 0
      ? []
      : [[key, value.replaceAll(placeholder, (_, name: string) => secrets.get(name) ?? '')]];
  });
  return { values: Object.fromEntries(entries), missing: [...missing] };
}
