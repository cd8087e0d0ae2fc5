import type { Caller } from '../../caller.ts';
import type { Context } from '../../context.ts';
import { rankNotes } from './ranking.ts';
import { findNotes } from './store.ts';

/** As many matches as a search counts. */
const mostCounted = 200;

/** The notes of the caller's organization, and the caller's own, that a query finds: best first, `score` from 0 to 1. */
export async function searchKnowledge(
  ctx: Pick<Context, 'db'>,
  { organization, principal }: Caller,
  input: { query: string; repo?: string; limit: number },
) {
  const db = ctx.db.kysely;
  const ranked = await rankNotes(db, {
    orgId: organization.id,
    userId: principal.type === 'user' ? principal.id : '',
    query: input.query,
    repositories: input.repo === undefined ? null : [{ repo: input.repo }],
    limit: mostCounted,
  });
  const best = ranked.slice(0, input.limit);
  const notes = await findNotes(
    db,
    organization.id,
    best.map(({ note_id }) => note_id),
  );
  const items = best.flatMap(({ note_id, score, reason }) => {
    const note = notes.find((found) => found.note_id === note_id);
    return note === undefined ? [] : [{ ...note, score, reason }];
  });
  return { items, total: ranked.length };
}
