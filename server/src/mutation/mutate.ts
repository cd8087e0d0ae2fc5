import type { Transaction } from 'kysely';
import { requireActive, type Actor, type Caller, type RequestFacts } from '../caller.ts';
import type { Database } from '../db/pool.ts';
import type { DB } from '../db/types.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { AuditAction } from '../lib/names.ts';
import { refuseMismatch } from './precondition.ts';
import { redact } from './redact.ts';
import { eventType } from '../outbox/event-type.ts';
import { insertActs, type Act, type AuditRow, type EntryOrganization } from './store.ts';

/** A mutation for the audit log and for domain events. `changes` never contains a secret. */
export interface AuditFact {
  /** `<resource>.<verb>`, e.g. `service_user.create`. */
  action: AuditAction;
  resource: { type: string; id: string };
  changes?: Record<string, unknown>;
  /** The event's data besides the resource: ids and statuses only. */
  data?: Readonly<Record<string, unknown>>;
  /** The organization it happened in, when that is not the caller's. */
  orgId?: string;
}

export type AuditRecorder = (fact: AuditFact) => void;

/**
 * Runs one mutation of a caller in one transaction: the change, its audit entry, its domain event, and the stored
 * response of an idempotent request. Without a request the entry names only the actor. The result of `change` is the
 * response; `once` names its fields that are shown only once (`run.token` for one of an object in it), which a replay
 * returns as `""`.
 */
export async function mutate<T>(
  ctx: { readonly db: Pick<Database, 'transaction'>; readonly clock: Clock },
  caller: Caller,
  change: (trx: Transaction<DB>, audit: AuditRecorder) => Promise<T>,
  once: readonly string[] = [],
): Promise<T> {
  return ctx.db.transaction(async (trx) => {
    const facts: AuditFact[] = [];
    const answer = await change(trx, (fact) => facts.push(fact));
    refuseMismatch(caller);
    const now = ctx.clock.now();
    const organizations = await insertActs(
      trx,
      facts.map((fact) => published(rowOf(caller, fact, now), fact)),
    );
    refuseInactive(facts, organizations);
    await caller.request?.complete?.(trx, withoutOnce(answer, once));
    return answer;
  });
}

/** Audits an act of the operator or of Guildhall itself in an organization, in the caller's transaction. */
export async function recordSystemAct(
  trx: Transaction<DB>,
  orgId: string,
  display: string,
  fact: AuditFact,
  now: Date,
): Promise<void> {
  const entry: AuditRow = {
    id: newId('aud', now.getTime()),
    org_id: orgId,
    action: fact.action,
    actor_type: 'system',
    actor_id: '',
    actor_display: display,
    resource_type: fact.resource.type,
    resource_id: fact.resource.id,
    outcome: 'success',
    ip: '',
    user_agent: '',
    request_id: '',
    changes: JSON.stringify(redact(fact.changes ?? {})),
    created_at: now,
  };
  await insertActs(trx, [published(entry, fact)]);
}

/**
 * Audits a user's act, or a refusal, outside of any organization in each of the user's organizations, e.g. a sign-in.
 */
export async function recordPersonalAct(
  trx: Transaction<DB>,
  who: { principal: Actor['principal']; request: RequestFacts; orgIds: readonly string[] },
  fact: AuditFact & { outcome?: 'success' | 'denied' },
  now: Date,
): Promise<void> {
  const { outcome = 'success', ...act } = fact;
  const rows = who.orgIds.map((orgId) => ({ ...rowOf(who, { ...act, orgId }, now), outcome }));
  await insertActs(
    trx,
    rows.map((entry) => ({ entry })),
  );
}

/** Marks an act that changed something in an organization, so that its consumers are notified. */
export function published(entry: AuditRow, { action, resource, data = {} }: AuditFact): Act {
  const { org_id: orgId, actor_type: type, actor_id: id } = entry;
  return { entry, event: { orgId, type: eventType(action), resource, actor: { type, id }, data } };
}

function rowOf(
  caller: Pick<Caller, 'principal' | 'request'> & Partial<Pick<Actor, 'organization'>>,
  fact: AuditFact,
  now: Date,
): AuditRow {
  const { principal, request } = caller;
  return {
    id: newId('aud', now.getTime()),
    org_id: fact.orgId ?? caller.organization?.id ?? '',
    action: fact.action,
    actor_type: principal.type,
    actor_id: principal.id,
    actor_display: principal.email === '' ? principal.name : principal.email,
    resource_type: fact.resource.type,
    resource_id: fact.resource.id,
    outcome: 'success',
    ip: request?.ip ?? '',
    user_agent: request?.userAgent ?? '',
    request_id: request?.id ?? '',
    changes: JSON.stringify(redact(fact.changes ?? {})),
    created_at: now,
  };
}

/** Actions allowed while the organization is being deleted. */
const ofOrganizations = new Set(['organization.delete', 'organization.restore']);

/**
 * Throws for an inactive organization. A deletion waits for transactions that add to the organization, and these see a
 * committed deletion: so nothing starts in an organization that is being deleted.
 */
function refuseInactive(facts: readonly AuditFact[], organizations: readonly EntryOrganization[]): void {
  if (facts.some(({ action }) => ofOrganizations.has(action))) return;
  for (const organization of organizations) requireActive(organization);
}

/** Blanks fields that are shown only once, in the response and in its `items`. */
function withoutOnce(answer: unknown, once: readonly string[]): unknown {
  if (once.length === 0 || typeof answer !== 'object' || answer === null) return answer;
  const blank = Object.fromEntries(
    once.flatMap((field): [string, unknown][] => {
      const [name = '', inner] = field.split('.');
      if (!(name in answer)) return [];
      return [[name, inner === undefined ? '' : withoutOnce(Reflect.get(answer, name), [inner])]];
    }),
  );
  const items: unknown = Reflect.get(answer, 'items');
  return {
    ...answer,
    ...blank,
    ...(Array.isArray(items) ? { items: items.map((item) => withoutOnce(item, once)) } : {}),
  };
}
