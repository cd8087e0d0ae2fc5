import { CompiledQuery, type Transaction } from 'kysely';
import type { DB } from '../../../db/types.ts';
import type { Reservation } from './model-store.ts';

/** A call that a lost process left behind. */
export interface LostCall extends Reservation {
  sessionId: string;
}

/** Locks calls that nobody settles anymore: their run is over since some minutes, or they are hours old. */
export async function lockLostCalls(trx: Transaction<DB>, limit: number): Promise<LostCall[]> {
  const text = `select c.id, c.session_id, c.org_id, c.principal_type, c.principal_id, c.origin, c.repository, c.model,
      c.input_tokens, c.output_tokens, c.cost_usd
    from reserved_calls c left join sessions s on s.id = c.session_id
    where c.created_at < now() - interval '6 hours'
      or (c.created_at < now() - interval '15 minutes' and (s.id is null or s.fence <> c.fence or s.lease_owner = ''))
    order by c.created_at limit $1 for update of c skip locked`;
  const { rows } = await trx.executeQuery<{
    id: string;
    session_id: string;
    org_id: string;
    principal_type: string;
    principal_id: string;
    origin: string;
    repository: string;
    model: string;
    input_tokens: number;
    output_tokens: number;
    cost_usd: number;
  }>(CompiledQuery.raw(text, [limit]));
  return rows.map((row) => ({
    id: row.id,
    sessionId: row.session_id,
    account: {
      orgId: row.org_id,
      principal: { type: row.principal_type, id: row.principal_id },
      origin: row.origin,
      repository: row.repository,
    },
    model: row.model,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    costUsd: row.cost_usd,
  }));
}
