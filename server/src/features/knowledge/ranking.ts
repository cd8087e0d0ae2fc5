import type { Kysely } from 'kysely';
import type { DB } from '../../db/types.ts';
import { wordsOfPrompt } from './prompt-words.ts';
import { countFilters, searchNotes } from './ranking-store.ts';
import { passesFilter } from './repository-filter.ts';
import type { NamedRepository } from '../../lib/providers.ts';

export interface RankInput {
  orgId: string;
  /** The user whose own notes count beside the shared ones; `''` for none. */
  userId: string;
  /** A session's prompt or a user's question, of any length. */
  query: string;
  /** The session's; null to find notes for any repository. */
  repositories: readonly NamedRepository[] | null;
  limit: number;
}

export interface RankedNote {
  note_id: string;
  /** From 0 to 1. */
  score: number;
  /** A readable explanation. */
  reason: string;
}

/** Relevance at which a note scores one half: a rare word or two in its name. */
const halfway = 6;

/**
 * Which notes a session with this prompt on these repositories gets, best first: enabled, of everybody or the user's own,
 * whose filter lets one of the repositories pass (a note of the scope `repository` needs one), and that share enough with
 * the prompt.
 *
 * A note is worth the sum over the words it shares with the prompt of `kind × rarity × weight`. The kind is 4 for a name as
 * code has it, 2 for a word in code marks, 1 for any other, 0.2 for the parts of a name that is known as a whole. The rarity
 * is BM25's `ln(1 + (N − n + ½) / (n + ½))` for `n` of `N` notes, with 100 notes added to `N` that have no word. The weight is
 * BM25F's, kept with the note's terms: `c / (1 + c)`, where `c` sums over name, trigger and body `occurrences × 2.5, 0.375,
 * 0.125`, each by the length of the field. Words of more than a fifth of the notes count for nothing; of the rest the 40 worthiest do.
 *
 * Left out is what is worth less than 0.75 or than 0.4 of the best note. `score` is `worth / (worth + 6)`; equal ones come
 * newest first. Of a prompt longer than 20,000 characters the first 16,000 and the last 4,000 are read.
 */
export async function rankNotes(db: Kysely<DB>, input: RankInput): Promise<RankedNote[]> {
  const { orgId, userId, query, repositories, limit } = input;
  const asked = wordsOfPrompt(query);
  const all = await countFilters(db, orgId);
  const passing = all.filter(({ repo_filter }) => repositories === null || passesFilter(repo_filter, repositories));
  const rows = await searchNotes(db, {
    orgId,
    userId,
    asked,
    notes: all.reduce((sum, { notes }) => sum + notes, 0),
    filters: repositories === null ? null : passing.map(({ repo_filter }) => repo_filter),
    isOnRepository: repositories === null || repositories.length > 0,
    limit,
  });
  return rows.map(({ note_id, worth, shared, repo_filter, scope }) => ({
    note_id,
    score: worth / (worth + halfway),
    reason: [...matchesOf(shared), `applies to ${placeOf(scope, repo_filter)}`].join('; '),
  }));
}

const places = [
  [1, 'the name'],
  [2, 'the trigger'],
  [4, 'the body'],
] as const;

/** Formats `matches “retry”, “budget” in the name`: each word at its most relevant place. */
function matchesOf(shared: readonly { word: string; fields: number }[]): string[] {
  return places
    .map(([bit, place]) => {
      const words = shared.filter(({ fields }) => (fields & bit) !== 0 && (fields & (bit - 1)) === 0);
      return words.length === 0 ? '' : `matches ${words.map(({ word }) => `“${word}”`).join(', ')} in ${place}`;
    })
    .filter((part) => part !== '');
}

function placeOf(scope: string, filter: string): string {
  const place = filter === '' ? 'every repository' : filter;
  return scope === 'user' ? `${place}, for this user only` : place;
}
