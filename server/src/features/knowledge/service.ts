import type { Caller } from '../../caller.ts';
import type { Context } from '../../context.ts';
import { searchNotes } from './store.ts';

/** The notes of the caller's organization, and the caller's own, that a query finds: best first, `score` from 0 to 1. */
export async function searchKnowledge(
  ctx: Pick<Context, 'db'>,
  { organization, principal }: Caller,
  input: { query: string; repo?: string; limit: number },
) {
  const userId = principal.type === 'user' ? principal.id : '';
  const rows = await searchNotes(ctx.db.kysely, organization.id, { ...input, userId });
  return { items: rows.map(({ matches: _matches, ...note }) => note), total: rows[0]?.matches ?? 0 };
}
