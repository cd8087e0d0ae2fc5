import type { Transaction } from 'kysely';
import type { Caller } from '../caller.ts';
import type { DB } from '../db/types.ts';
import { newId } from '../lib/ids.ts';
import { published, type AuditFact } from './mutate.ts';
import { redact } from './redact.ts';
import { insertActs, type AuditRow } from './store.ts';

/** The requester of an operation, stored until it has completed, for its audit entry. */
export type RecordedActor = Pick<
  AuditRow,
  'actor_type' | 'actor_id' | 'actor_display' | 'ip' | 'user_agent' | 'request_id'
>;

export function recordedActorOf({ principal, request }: Pick<Caller, 'principal' | 'request'>): RecordedActor {
  return {
    actor_type: principal.type,
    actor_id: principal.id,
    actor_display: principal.email === '' ? principal.name : principal.email,
    ip: request?.ip ?? '',
    user_agent: request?.userAgent ?? '',
    request_id: request?.id ?? '',
  };
}

/** Audits an earlier request, in the transaction that settles it. */
export async function recordActOf(
  trx: Transaction<DB>,
  orgId: string,
  actor: RecordedActor,
  fact: AuditFact,
  now: Date,
): Promise<void> {
  const entry: AuditRow = {
    ...actor,
    id: newId('aud', now.getTime()),
    org_id: orgId,
    action: fact.action,
    resource_type: fact.resource.type,
    resource_id: fact.resource.id,
    outcome: 'success',
    changes: JSON.stringify(redact(fact.changes ?? {})),
    created_at: now,
  };
  await insertActs(trx, [published(entry, fact)]);
}
