import { sql, type Transaction, type UpdateObject } from 'kysely';
import type { DB } from '../../../db/types.ts';
import { pendingRow } from '../../../outbox/event.ts';
import type { NewEvent } from '../schemas/event-schemas.ts';
import type { SandboxState, SessionStatus, StatusDetail } from '../schemas/session-schemas.ts';
import { attentionOf } from './attention.ts';
import { noteStop } from './read-store.ts';
import { changeAndAppend } from './log-store.ts';
import { requireTransition, type LeaseChange, type SessionEvent } from './transitions.ts';

/** A session that the transaction has locked. */
export interface LockedSession {
  id: string;
  org_id: string;
  status: SessionStatus;
  status_detail: StatusDetail;
  /** True if a worker holds its lease; for `hand_over`. */
  held?: boolean;
}

export interface Move {
  event: SessionEvent;
  /** The actor of the event: a principal, the session itself through its worker, or the system. */
  by: { type: string; id: string };
  /** By default the first detail of the transition. */
  detail?: StatusDetail;
  sandbox_state?: SandboxState;
  /** Changes beside those of the transition. */
  change?: UpdateObject<DB, 'sessions'>;
  /** Events that the log gets before the status. */
  events?: readonly NewEvent[];
  /** The id of the first event, for `hasEvent`. */
  mark?: string;
  /** True to notify the worker of the session to check it. */
  tellsWorker?: boolean;
}

/** The statuses in which a session does nothing until someone acts. */
const stops: ReadonlySet<SessionStatus> = new Set(['waiting', 'suspended', 'completed', 'failed', 'canceled']);

/** The platform itself. */
export const bySystem: Move['by'] = { type: 'system', id: '' };

/** The session itself, through its worker. */
export function byRun({ id }: { id: string }): Move['by'] {
  return { type: 'session', id };
}

/**
 * Applies an event to a locked session by the table of transitions: status, lease, fencing token, log and wake-up. A
 * changed status is logged and published as a domain event. Throws {@link IllegalTransition}.
 */
export async function moveSession(trx: Transaction<DB>, session: LockedSession, move: Move): Promise<void> {
  const { id, held = false } = session;
  const transition = requireTransition(session.status, move.event, move.detail);
  const { status, lease, fences } = transition;
  const status_detail = move.detail ?? transition.details[0] ?? session.status_detail;
  const isShown = status !== session.status || status_detail !== session.status_detail;
  const sandbox_state = move.sandbox_state ?? (status === 'running' ? 'starting' : 'none');
  const shown = { status, status_detail, sandbox_state };
  const attention = attentionOf(status, status_detail);
  const data = { status, status_detail, previous_status: session.status, attention };
  const told = { type: 'session.status_changed', resource: { type: 'session', id }, actor: move.by, data };
  const change = {
    ...(isShown ? shown : {}),
    ...leaseAfter(lease, held),
    ...(fences ? { fence: sql<number>`fence + 1` } : {}),
    updated_at: sql<Date>`clock_timestamp()`,
    ...move.change,
  };
  const events: NewEvent[] = [...(move.events ?? []), ...(isShown ? [{ kind: 'status', data: shown } as const] : [])];
  const published = isShown ? pendingRow({ orgId: session.org_id, ...told }) : undefined;
  const tells = { tellsWorker: move.tellsWorker, wakesWorkers: transition.wakesWorkers && !held };
  await changeAndAppend(trx, id, change, events, { published, mark: move.mark, ...tells });
  if (isShown && stops.has(status)) await noteStop(trx, id, move.by);
}

function leaseAfter(lease: LeaseChange, held: boolean): UpdateObject<DB, 'sessions'> {
  const released = { lease_owner: '', lease_until: null, losses: 0 };
  switch (lease) {
    case 'keep':
      return {};
    case 'release':
      return released;
    case 'hand_over':
      return held ? {} : released;
    case 'lapse':
      return { lease_owner: '' };
    case 'take':
      throw new Error('A session is claimed by claimSession or takeSession.');
  }
}
