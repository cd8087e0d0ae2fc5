/** Returns the ids that a session was created with under `name`; null if everything that applies is given. */
export function chosenIds(options: Readonly<Record<string, unknown>>, name: string): string[] | null {
  const chosen = options[name];
  return Array.isArray(chosen) ? chosen.map(String) : null;
}
