import { sql, type Insertable, type Kysely, type Transaction, type Updateable } from 'kysely';
import { newestFirst } from '../../../db/page.ts';
import { principalOrNull } from '../../../db/principal.ts';
import type { DB } from '../../../db/types.ts';
import type { LockedSession } from './transition-store.ts';

const shown = [
  'id',
  'session_id',
  'kind',
  'state',
  'tool',
  'input',
  'plan',
  'edited_plan',
  'note',
  'message_id',
  'requested_at',
  'expires_at',
  principalOrNull('session_approvals.decided_by').as('decided_by'),
  'decided_at',
] as const;

export function approvalsQuery(db: Kysely<DB>, orgId: string, sessionId: string) {
  return db.selectFrom('session_approvals').where('org_id', '=', orgId).where('session_id', '=', sessionId);
}

export async function listApprovalRows(
  query: ReturnType<typeof approvalsQuery>,
  after: string | undefined,
  limit: number,
) {
  return newestFirst(query.select(shown).$narrowType<{ input: Record<string, unknown> }>(), after, limit).execute();
}

export async function readApproval(db: Kysely<DB>, orgId: string, sessionId: string, id: string) {
  return approvalsQuery(db, orgId, sessionId).select(shown).where('id', '=', id).executeTakeFirst();
}

export async function insertApproval(trx: Transaction<DB>, row: Insertable<DB['session_approvals']>): Promise<void> {
  await trx.insertInto('session_approvals').values(row).execute();
}

/** Updates an approval and returns it. */
export async function updateApproval(trx: Transaction<DB>, id: string, change: Updateable<DB['session_approvals']>) {
  return trx
    .updateTable('session_approvals')
    .set(change)
    .where('id', '=', id)
    .returning(shown)
    .$narrowType<{ input: Record<string, unknown> }>()
    .executeTakeFirstOrThrow();
}

/** Returns the pending approvals of a session; with `dueAt` only those that had expired then. */
export async function readPending(trx: Transaction<DB>, sessionId: string, dueAt?: Date) {
  return trx
    .selectFrom('session_approvals')
    .select(['id', 'kind'])
    .where('session_id', '=', sessionId)
    .where('state', '=', 'pending')
    .$if(dueAt !== undefined, (query) => query.where('expires_at', '<=', dueAt ?? new Date(0)))
    .orderBy('id')
    .execute();
}

/** Locks sessions with expired approvals, the oldest first. */
export async function lockOverdue(trx: Transaction<DB>, now: Date, limit: number) {
  const { rows } = await sql<LockedSession>`
    select s.id, s.org_id, s.status, s.status_detail from session_approvals a join sessions s on s.id = a.session_id
    where a.state = 'pending' and a.expires_at <= ${now}
    order by a.expires_at limit ${limit} for update of s skip locked`.execute(trx);
  return rows;
}
