import type { AuditAction } from '../../lib/names.ts';
import type { Transaction } from 'kysely';
import type { RequestFacts } from '../../caller.ts';
import type { DB } from '../../db/types.ts';
import { recordPersonalAct } from '../../mutation/mutate.ts';
import { readMemberships, readPerson } from './store.ts';

/** Audits a change of a user in each of the user's organizations; `changes` never contains a secret. */
export async function recordInEachOrganization(
  trx: Transaction<DB>,
  act: {
    userId: string;
    facts: RequestFacts;
    action: AuditAction;
    changes?: Record<string, unknown>;
    outcome?: 'success' | 'denied';
    now: Date;
  },
): Promise<void> {
  const { userId, facts, action, changes = {}, outcome = 'success', now } = act;
  const person = await readPerson(trx, userId);
  if (person === undefined) return;
  const { name, email } = person;
  const orgIds = (await readMemberships(trx, userId)).map(({ id }) => id);
  const principal = { type: 'user', id: userId, name, email } as const;
  const fact = { action, resource: { type: 'user', id: userId }, changes, outcome };
  await recordPersonalAct(trx, { principal, request: facts, orgIds }, fact, now);
}
