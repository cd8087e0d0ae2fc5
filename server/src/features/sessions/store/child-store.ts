import { sql, type Kysely, type Transaction } from 'kysely';
import type { DB } from '../../../db/types.ts';
import type { Budget } from '../schemas/session-schemas.ts';
import type { Spending } from './model-store.ts';

/** The rest of a parent's budget, locked until the transaction ends; undefined if it was deleted. */
export type ParentSpending = Spending & { sandbox_seconds: number };

export async function lockParent(trx: Transaction<DB>, id: string): Promise<ParentSpending | undefined> {
  return trx
    .selectFrom('sessions')
    .select(['reserved_tokens', 'reserved_cost_usd', 'given_tokens', 'given_cost_usd', 'cost_usd', 'sandbox_seconds'])
    .select([sql<Budget>`budget`.as('budget'), sql<number>`input_tokens + output_tokens`.as('tokens')])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

/** Returns the depth of a session in its tree, and the root. */
export async function readTreePosition(db: Kysely<DB>, id: string): Promise<{ depth: number; rootId: string }> {
  const { rows } = await sql<{ depth: number; id: string }>`
    with recursive line as (
      select id, parent_session_id, 0 as depth from sessions where id = ${id}
      union all
      select parent.id, parent.parent_session_id, line.depth + 1
      from line join sessions parent on parent.id = line.parent_session_id
    ) select id, depth from line order by depth desc limit 1`.execute(db);
  return { depth: rows[0]?.depth ?? 0, rootId: rows[0]?.id ?? id };
}

/** Counts the sessions below the root of a tree. */
export async function countDescendants(db: Kysely<DB>, rootId: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    with recursive family as (
      select id from sessions where parent_session_id = ${rootId}
      union all
      select child.id from family join sessions child on child.parent_session_id = family.id
    ) select count(*)::int as n from family`.execute(db);
  return rows[0]?.n ?? 0;
}

/** Deducts a child's budget from its parent's. */
export async function allocateChildBudget(trx: Transaction<DB>, parentId: string, budget: Budget): Promise<void> {
  const { max_tokens: tokens = 0, max_cost_usd: cost = 0 } = budget;
  await sql`update sessions set given_tokens = given_tokens + ${tokens}, given_cost_usd = given_cost_usd + ${cost}
    where id = ${parentId}`.execute(trx);
}
