/** `${NAME}`, a placeholder for a secret of the server. */
const placeholder = /\$\{([A-Za-z_][A-Za-z0-9_]{0,127})\}/g;

/** Returns the names of the secrets in a value. */
export function namesIn(value: string): string[] {
  return [...value.matchAll(placeholder)].map(([, name = '']) => name);
}

/** Returns a value with its placeholders replaced by spaces. */
export function literalPart(value: string): string {
  return value.replaceAll(placeholder, ' ');
}

/** Replaces placeholders by secrets; names without a secret are listed in `missing`, and their values omitted. */
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
