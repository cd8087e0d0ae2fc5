import type { Schemas } from '../../lib/api.ts';
import { recall, remember } from '../../lib/storage.ts';

/** A prompt that a note is tried with. */
export interface KeptPrompt {
  prompt: string;
  repo: string;
}

export const mostKept = 10;
const longest = 10_000;

export function keptPrompts(org: string, noteId: string): KeptPrompt[] {
  return readKept(recall(`try/${org}/${noteId}`));
}

/** Reads what was stored; anything else is no prompt. */
export function readKept(stored: string | undefined): KeptPrompt[] {
  try {
    const list: unknown = JSON.parse(stored ?? '[]');
    if (!Array.isArray(list)) return [];
    return list.slice(0, mostKept).flatMap((one: unknown) => {
      const { prompt, repo }: Record<string, unknown> = { ...Object(one) };
      return typeof prompt === 'string' && typeof repo === 'string' ? [{ prompt, repo }] : [];
    });
  } catch {
    return [];
  }
}

export function keepPrompts(org: string, noteId: string, kept: readonly KeptPrompt[]): void {
  const list = kept.map(({ prompt, repo }) => ({ prompt: prompt.slice(0, longest), repo }));
  remember(`try/${org}/${noteId}`, list.length === 0 ? undefined : JSON.stringify(list));
}

/** Says if a session would get a note, and why. The API names at most 100 notes that are not given. */
export function outcomeOf(
  result: Schemas['KnowledgeForPrompt'] | undefined,
  noteId: string,
): { isGiven: boolean; reason: string } | undefined {
  if (result === undefined) return undefined;
  const given = result.items.find(({ note }) => note.note_id === noteId);
  if (given !== undefined) return { isGiven: true, reason: given.reason };
  const reason = result.not_given.find((one) => one.note_id === noteId)?.reason;
  return { isGiven: false, reason: reason ?? 'The prompt does not match.' };
}
