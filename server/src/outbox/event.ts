import type { Insertable } from 'kysely';
import type { DB } from '../db/types.ts';

/** A domain event in its published form: ids and statuses, never secrets or user content. */
export interface NewOutboxEvent {
  orgId: string;
  /** `<resource>.<past participle>`: `session.status_changed`. */
  type: string;
  resource: { type: string; id: string };
  /** The actor: a principal, or `system` with the id `''`. */
  actor: { type: string; id: string };
  data?: Readonly<Record<string, unknown>>;
}

/** An event with its position. */
export interface OutboxEvent extends Required<NewOutboxEvent> {
  /** The position over all organizations. */
  position: number;
  /** The number within its organization, from 1 without gaps. */
  seq: number;
  at: Date;
}

/** Returns the row of an event without a position, inserted together with the change. */
export function pendingRow({
  orgId,
  type,
  resource,
  actor,
  data = {},
}: NewOutboxEvent): Insertable<DB['outbox_pending']> {
  return {
    org_id: orgId,
    type,
    resource_type: resource.type,
    resource_id: resource.id,
    actor_type: actor.type,
    actor_id: actor.id,
    data: JSON.stringify(data),
  };
}
