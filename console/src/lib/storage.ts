/** What this browser remembers, with the version of its shape: a later one forgets what it cannot read. */
const prefix = 'guildhall/1/';

/** Returns what was stored under a name; undefined if there is nothing, or if the browser keeps nothing. */
export function recall(name: string): string | undefined {
  try {
    return localStorage.getItem(prefix + name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Returns the names that begin with `start` and have a text, without it. */
export function namesAfter(start: string): string[] {
  try {
    const before = prefix + start;
    return Object.keys(localStorage).flatMap((key) => (key.startsWith(before) ? [key.slice(before.length)] : []));
  } catch {
    return [];
  }
}

/** Stores a text; undefined removes it. A browser that keeps nothing is no error. */
export function remember(name: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(prefix + name);
    else localStorage.setItem(prefix + name, value);
  } catch {
    // Storage is full, or the browser forbids it.
  }
}
