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
 * Ranks the notes for a session with this prompt on these repositories, best first. Considers enabled notes, shared or
 * of the user, whose filter matches one of the repositories (the scope `repository` requires one).
 *
 * A note's relevance is the sum of `kind × rarity × weight` over the words that it shares with the prompt. The kind is
 * 4 for a name that occurs in code, 2 for a word in code marks, 1 for any other word, and 0.2 for the parts of a name
 * that is known as a whole. The rarity is BM25's `ln(1 + (N − n + ½) / (n + ½))` for `n` of `N` notes; `N` includes 100
 * virtual notes without any word. The weight is BM25F's, stored with the note's terms: `c / (1 + c)`, where `c` sums
 * `occurrences × 2.5, 0.375, 0.125` over name, trigger and body, each normalized by the length of the field. Words in
 * more than a fifth of the notes are ignored; of the others the 40 most relevant count.
 *
 * Omits notes with less than 0.75, or less than 0.4 of the best note. `score` is `relevance / (relevance + 6)`; equal
 * ones are sorted newest first. If a prompt has more than 20,000 characters, only the first 16,000 and the last 4,000
 * are read.
 */
export async function rankNotes(db: Kysely<DB>, input: RankInput): Promise<RankedNote[]> {
  const { orgId, userId, query, repositories, limit } = input;
  const all = await countFilters(db, orgId);
  const passing = all.filter(({ repo_filter }) => repositories === null || passesFilter(repo_filter, repositories));
  if (passing.length === 0) return [];
  const rows = await searchNotes(db, {
    orgId,
    userId,
    asked: wordsOfPrompt(query),
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
