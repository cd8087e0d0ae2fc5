import { named, type Database } from '../../../db/pool.ts';
import type { SessionStatus, StatusDetail } from '../schemas/session-schemas.ts';

/** The state of a session that a run needs to know beside the session's row. */
export interface RunState {
  /** The newest turn is over. */
  turnEnded: boolean;
  /** A message is queued. */
  waiting: boolean;
  /** A plan was approved. */
  planApproved: boolean;
  /** The last stop in the session's log; queued work does not count. */
  lastStop: LastStop | undefined;
}

export interface LastStop {
  status: SessionStatus;
  status_detail: StatusDetail;
  at: Date;
}

/** Returns undefined for a session that does not exist. */
export async function readRunState(db: Database, sessionId: string): Promise<RunState | undefined> {
  const rows = await named<Omit<RunState, 'lastStop'> & ({ at: null } | LastStop)>(
    db,
    'run_state',
    `select s.turn_ended as "turnEnded",
       exists (select from session_messages m where m.session_id = s.id and m.state = 'queued') as waiting,
       exists (
         select from session_approvals a where a.session_id = s.id and a.kind = 'plan' and a.state = 'approved'
       ) as "planApproved",
       stop.status, stop.status_detail, stop.at
     from sessions s left join lateral (
       select e.data ->> 'status' as status, e.data ->> 'status_detail' as status_detail, e.created_at as at
       from session_events e
       where e.session_id = s.id and e.kind = 'status' and e.data ->> 'status' <> 'queued' order by e.seq desc limit 1
     ) stop on true
     where s.id = $1`,
    [sessionId],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { turnEnded, waiting, planApproved, ...stop } = row;
  return { turnEnded, waiting, planApproved, lastStop: stop.at === null ? undefined : stop };
}
