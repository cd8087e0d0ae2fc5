/** A note that passes. */
export interface Note {
  id: number;
  text: string;
  tone: 'plain' | 'bad';
}

let notes: readonly Note[] = [];
let count = 0;
const listeners = new Set<() => void>();

function set(next: readonly Note[]): void {
  notes = next;
  for (const listener of listeners) listener();
}

/** Tells the person something that needs no answer. */
export function toast(text: string, tone: Note['tone'] = 'plain'): void {
  count += 1;
  set([...notes.slice(-3), { id: count, text, tone }]);
}

/** The notes that are shown, for `useSyncExternalStore`. */
export const toasts = {
  get: () => notes,
  close: (id: number) => set(notes.filter((note) => note.id !== id)),
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
