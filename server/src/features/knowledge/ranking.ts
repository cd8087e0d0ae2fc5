import type { Kysely } from 'kysely';
import type { DB } from '../../db/types.ts';
import { listFilters, searchNotes } from './ranking-store.ts';
import { passesFilter, type WorkedOn } from './repository-filter.ts';

export interface RankInput {
  orgId: string;
  /** Whose own notes count beside everybody's; `''` for nobody's. */
  userId: string;
  /** A session's prompt or somebody's question. */
  query: string;
  /** Of the session; null to find notes for whatever repository. */
  repositories: readonly WorkedOn[] | null;
  limit: number;
}

export interface RankedNote {
  note_id: string;
  /** From 0 to 1. */
  score: number;
  /** Why, in words. */
  reason: string;
}

/** Which notes a session with this prompt on these repositories gets, best first. */
export async function rankNotes(db: Kysely<DB>, input: RankInput): Promise<RankedNote[]> {
  const { orgId, userId, query, repositories, limit } = input;
  const filters =
    repositories === null
      ? null
      : (await listFilters(db, orgId)).filter((filter) => passesFilter(filter, repositories));
  const isOnRepository = repositories === null || repositories.length > 0;
  const rows = await searchNotes(db, { orgId, userId, query, filters, isOnRepository, limit });
  return rows.map(({ note_id, score, repo_filter, scope }) => ({
    note_id,
    score,
    reason: `shares words with it; ${placeOf(scope, repo_filter)}`,
  }));
}

function placeOf(scope: string, filter: string): string {
  const place = filter === '' ? 'every repository' : filter;
  return `applies to ${place}${scope === 'user' ? ", one person's own" : ''}`;
}
