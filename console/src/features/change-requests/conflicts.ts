/** Returns the files that a refused merge names. */
export function conflictsOf({ code, details }: { code: string; details: unknown }): string[] {
  if (code !== 'merge_conflict') return [];
  const { paths }: { paths?: unknown } = Object(details);
  return Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : [];
}

/** Returns what a session is asked to do about conflicts. */
export function conflictRequest(number: number, base: string, paths: readonly string[]): string {
  const which = paths.length === 0 ? '' : ` The conflicts are in: ${paths.slice(0, 100).join(', ')}.`;
  return `Change request #${number} conflicts with \`${base}\`. Merge \`${base}\` into your branch, resolve the conflicts, and check again.${which}`;
}
