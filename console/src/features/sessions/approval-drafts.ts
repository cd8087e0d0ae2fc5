import { useSyncExternalStore } from 'react';
import { recall, remember } from '../../lib/storage.ts';

/** The texts of a person on something that must be approved. */
export type DraftKind = 'note' | 'plan';

const listeners = new Set<() => void>();
/** What is on its way with a decision, by the id of the approval. */
const sending = new Set<string>();
/** The approval whose field had the focus when it went away. */
let left = '';

function tell(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function nameOf(kind: DraftKind, id: string): string {
  return `approval-${kind}/${id}`;
}

/** Returns the text that a person wrote and did not send; undefined for none. */
export function draftOf(kind: DraftKind, id: string): string | undefined {
  return recall(nameOf(kind, id));
}

/** Returns true if a person wrote on an approval what they did not send. */
export function hasDraft(id: string): boolean {
  return draftOf('plan', id) !== undefined || draftOf('note', id) !== undefined;
}

/** Keeps a text over a reload until it is sent; undefined drops it. */
export function keepDraft(kind: DraftKind, id: string, text: string | undefined): void {
  remember(nameOf(kind, id), text);
  tell();
}

/** Sends a decision with its texts, which are not those that somebody failed to send meanwhile. */
export async function whileSending<Result>(id: string, send: () => Promise<Result>): Promise<Result> {
  sending.add(id);
  try {
    return await send();
  } finally {
    sending.delete(id);
    tell();
  }
}

/** Returns a text that was not sent before something was decided; undefined for none. */
export function useUnsent(kind: DraftKind, id: string): string | undefined {
  return useSyncExternalStore(subscribe, () => (sending.has(id) ? undefined : draftOf(kind, id)));
}

/** Says that somebody was typing on an approval when its fields went away. */
export function noteLeft(id: string): void {
  left = id;
}

/** Returns true, once, if somebody was typing on an approval when its fields went away. */
export function takeLeft(id: string): boolean {
  const isLeft = left === id;
  if (isLeft) left = '';
  return isLeft;
}
