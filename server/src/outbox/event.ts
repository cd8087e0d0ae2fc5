import type { Insertable } from 'kysely';
import type { DB } from '../db/types.ts';

/** Something that happened, as it is published: ids and statuses, never a secret or what people wrote. */
export interface NewOutboxEvent {
  orgId: string;
  /** `<resource>.<what happened to it>`: `session.status_changed`. */
  type: string;
  resource: { type: string; id: string };
  /** Who did it: a principal, or `system` with the id `''`. */
  actor: { type: string; id: string };
  data?: Readonly<Record<string, unknown>>;
}

/** An event that has its place. */
export interface OutboxEvent extends Required<NewOutboxEvent> {
  /** Over all organizations. */
  position: number;
  /** Within its organization, from 1 without gaps. */
  seq: number;
  at: Date;
}

/** An event as a row of those that have no place yet: it is inserted with what it tells of. */
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
