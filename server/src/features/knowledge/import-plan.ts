import { createHash } from 'node:crypto';
import { pace } from '../../lib/pace.ts';
import type { NoteFile } from './front-matter.ts';

/** An existing note that a file may refer to. */
export interface PresentNote {
  readonly id: string;
  readonly revision: number;
  readonly name: string;
  readonly trigger: string;
  readonly scope: string;
  readonly repo_filter: string;
  readonly enabled: boolean;
  /** SHA-256 of its body, in hexadecimal digits. */
  readonly body_digest: string;
}

/** The planned result for a file that is a note. */
export type Fate =
  | { readonly result: 'created' }
  | { readonly result: 'updated' | 'unchanged'; readonly note: PresentNote }
  | { readonly result: 'failed'; readonly reason: string };

/** The fields of a note that decide which file refers to it. */
type Likeness = Omit<PresentNote, 'id' | 'revision'>;

const likenesses: readonly ((note: Likeness) => string)[] = [whole, placeAndFilter, place];

/**
 * Plans the result for each file, in order. A file refers to the note whose id it names, if that exists; else to one with the
 * same name and scope: an identical one first, then the only one with the same `repo_filter`, then the only one left. Each note
 * is matched at most once.
 */
export async function planImport(files: readonly NoteFile[], present: readonly PresentNote[]): Promise<Fate[]> {
  const likes: Likeness[] = [];
  for (const { content } of files) {
    await pace();
    const { body, ...rest } = content;
    likes.push({ ...rest, body_digest: digestOf(body) });
  }
  const fates: (Fate | undefined)[] = files.map(() => undefined);
  const free = new Map(present.map((note) => [note.id, note]));
  const settle = (at: number, like: Likeness, note: PresentNote): void => {
    free.delete(note.id);
    fates[at] = { result: whole(like) === whole(note) ? 'unchanged' : 'updated', note };
  };
  const claimed = new Set<string>();
  for (const [at, like] of likes.entries()) {
    const { noteId = '' } = files[at] ?? {};
    if (noteId === '') continue;
    const note = free.get(noteId);
    if (claimed.has(noteId))
      fates[at] = { result: 'failed', reason: `Another file refers to ${noteId} too. Remove one of the two.` };
    else if (note !== undefined) settle(at, like, note);
    claimed.add(noteId);
  }
  for (const key of likenesses) {
    const groups = Map.groupBy(free.values(), key);
    for (const [at, like] of likes.entries()) {
      if (fates[at] !== undefined) continue;
      await pace();
      const group = groups.get(key(like)) ?? [];
      // Identical notes are interchangeable.
      if (group.length !== 1 && key !== whole) continue;
      const note = group.pop();
      if (note !== undefined) settle(at, like, note);
    }
  }
  const left = Map.groupBy(free.values(), place);
  return likes.map((like, at) => fates[at] ?? newOrDoubtful(left.get(place(like))?.length ?? 0));
}

function newOrDoubtful(candidates: number): Fate {
  if (candidates === 0) return { result: 'created' };
  return { result: 'failed', reason: `${candidates} notes have this name. Add note_id: to choose one.` };
}

function place({ scope, name }: Likeness): string {
  return JSON.stringify([scope, name]);
}

function placeAndFilter({ scope, name, repo_filter }: Likeness): string {
  return JSON.stringify([scope, name, repo_filter]);
}

function whole({ scope, name, repo_filter, trigger, enabled, body_digest }: Likeness): string {
  return JSON.stringify([scope, name, repo_filter, trigger, enabled, body_digest]);
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
