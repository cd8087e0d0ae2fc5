import type { Kysely, Transaction, Updateable } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import { principalOrNull } from '../../db/principal.ts';
import type { DB } from '../../db/types.ts';

const shown = [
  'id',
  'session_id',
  'name',
  'trigger',
  'body',
  'repo',
  'status',
  'note_id',
  principalOrNull('knowledge_suggestions.decided_by').as('decided_by'),
  'decided_at',
  'created_at',
] as const;
type Status = 'pending' | 'accepted' | 'dismissed';

export function suggestionsQuery(db: Kysely<DB>, orgId: string, statuses: readonly Status[] = []) {
  return db
    .selectFrom('knowledge_suggestions')
    .where('org_id', '=', orgId)
    .$if(statuses.length > 0, (query) => query.where('status', 'in', statuses));
}

export async function listSuggestionRows(
  query: ReturnType<typeof suggestionsQuery>,
  after: string | undefined,
  limit: number,
) {
  return newestFirst(query.select(shown), after, limit).execute();
}

/** Returns the suggestion and locks it until the transaction ends. */
export async function lockSuggestion(trx: Transaction<DB>, orgId: string, id: string) {
  return suggestionsQuery(trx, orgId).select(shown).where('id', '=', id).forUpdate().executeTakeFirst();
}

export async function decideSuggestion(
  trx: Transaction<DB>,
  id: string,
  decision: Updateable<DB['knowledge_suggestions']>,
) {
  return trx
    .updateTable('knowledge_suggestions')
    .set(decision)
    .where('id', '=', id)
    .returning(shown)
    .executeTakeFirstOrThrow();
}
