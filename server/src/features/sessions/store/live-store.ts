import { sql, type Kysely } from 'kysely';
import type { DB } from '../../../db/types.ts';
import type { SandboxState, SessionStatus } from '../schemas/session-schemas.ts';

export interface LiveRow {
  status: SessionStatus;
  sandbox_state: SandboxState;
  id: string;
  created_by_type: string;
  created_by_id: string;
  /** The worker that holds the session; `''` for none. */
  worker: string;
}

/** Returns which worker holds a session now, and so its sandbox; undefined if the organization has no such session. */
export async function readLive(db: Kysely<DB>, orgId: string, id: string): Promise<LiveRow | undefined> {
  const { rows } = await sql<LiveRow>`
    select id, created_by_type, created_by_id, status, sandbox_state,
      case when lease_until > now() then lease_owner else '' end as worker
    from sessions where org_id = ${orgId} and id = ${id}`.execute(db);
  return rows[0];
}
