import type { Transaction } from 'kysely';
import type { Actor, AuthenticatedCaller } from '../../caller.ts';
import type { DB } from '../../db/types.ts';
import { recordPersonalAct, type AuditFact, type AuditRecorder } from '../../mutation/mutate.ts';
import { listAdministered, listDescendants, revokeInvitesMadeBy, type Descendant } from './descent-store.ts';
import { endKeys } from './store.ts';

/**
 * Revokes what a key made, and what that made: keys of any kind, tool tokens, and invitations that wait. It leaves the key
 * that asks and what that made. What belongs to an organization and not to the caller takes `org:write` there, and stays
 * without: whoever may end a key may not, by that, end those of machines.
 */
export async function revokeDescendants(
  trx: Transaction<DB>,
  audit: AuditRecorder,
  caller: AuthenticatedCaller,
  root: { id: string; orgId: string },
  now: Date,
): Promise<void> {
  const { credential } = caller;
  const except = credential.kind === 'sign_in' || credential.id === root.id ? '' : credential.id;
  const manages = await managedBy(trx, caller);
  const mayEnd = ({ org_id: orgId, principal_type: type, principal_id: id }: Descendant): boolean =>
    manages.has(orgId) || (type === 'user' && id === caller.principal.id);
  const record = async (orgId: string, fact: AuditFact): Promise<void> => {
    if (orgId === root.orgId) audit({ ...fact, orgId });
    // Whatever state another organization is in, what leaked is ended there.
    else await recordPersonalAct(trx, { ...caller, orgIds: [orgId] }, fact, now);
  };
  const makers = [root.id];
  // Ending a key waits for what it is just making, which is there at the next look.
  for (;;) {
    const ended = (await listDescendants(trx, root.id, except)).filter(mayEnd);
    if (ended.length === 0) break;
    const ids = ended.map(({ id }) => id);
    await endKeys(trx, ids, { revoked_at: now });
    makers.push(...ids);
    for (const { id, org_id: orgId, door } of ended) {
      const type = door === 'mcp' ? 'tool_token' : 'key';
      await record(orgId, { action: `${type}.revoke`, resource: { type, id }, changes: { made_by: root.id } });
    }
  }
  for (const { id, org_id: orgId, email } of await revokeInvitesMadeBy(trx, makers, [...manages], now))
    await record(orgId, {
      action: 'invite.revoke',
      resource: { type: 'invite', id },
      changes: { email, made_by: root.id },
    });
}

/** The organizations whose machines and invitations are the caller's to end. */
async function managedBy(trx: Transaction<DB>, { organization, principal, scopes }: Actor): Promise<Set<string>> {
  if (!scopes.has('org:write')) return new Set();
  const others = principal.type === 'user' ? await listAdministered(trx, principal.id) : [];
  return new Set([organization.id, ...others]);
}
