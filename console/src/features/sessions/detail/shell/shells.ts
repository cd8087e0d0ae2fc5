import { Shell } from './shell.ts';

/** The oldest one is closed before there are more. */
const mostShells = 4;
const shells = new Map<string, Shell>();
const listeners = new Set<() => void>();

export function subscribeToShells(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function changed(): void {
  for (const listener of listeners) listener();
}

/** The shell of a session: it stays while the person looks at something else. */
export function shellOf(org: string, id: string): Shell | undefined {
  return shells.get(`${org}/${id}`);
}

/** Opens a shell in a session's sandbox, unless one is open; it connects once the size of its screen is known. */
export function openShell(org: string, id: string): void {
  const known = shellOf(org, id);
  if (known !== undefined && known.state().phase !== 'ended') {
    known.wantsFocus = true;
    return;
  }
  shells.delete(`${org}/${id}`);
  const [oldest] = shells;
  if (shells.size >= mostShells && oldest !== undefined) {
    oldest[1].close();
    shells.delete(oldest[0]);
  }
  shells.set(`${org}/${id}`, new Shell(org, id));
  changed();
}

export function closeShell(org: string, id: string): void {
  shellOf(org, id)?.close();
  shells.delete(`${org}/${id}`);
  changed();
}
