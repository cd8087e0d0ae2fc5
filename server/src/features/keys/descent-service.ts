import type { Transaction } from 'kysely';
import type { Actor, AuthenticatedCaller } from '../../caller.ts';
import type { DB } from '../../db/types.ts';
import { recordPersonalAct, type AuditFact, type AuditRecorder } from '../../mutation/mutate.ts';
import { listAdministered, listDescendants, revokeInvitesMadeBy, type Descendant } from './descent-store.ts';
import { endKeys } from './store.ts';

/**
 * Revokes what a key created, recursively: keys of any kind, MCP tokens, and pending invitations; not the calling key and what
 * that created. Revoking what belongs to an organization rather than to the caller requires `org:write` there and is skipped
 * without: permission to revoke a key does not extend to keys of service users and apps.
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
    // Regardless of the other organization's state, leaked credentials are revoked.
    else await recordPersonalAct(trx, { ...caller, orgIds: [orgId] }, fact, now);
  };
  const makers = [root.id];
  // Revoking a key waits for what it is just creating; the next pass finds that.
  for (;;) {
    const ended = (await listDescendants(trx, root.id, except)).filter(mayEnd);
    if (ended.length === 0) break;
    const ids = ended.map(({ id }) => id);
    await endKeys(trx, ids, { revoked_at: now });
    makers.push(...ids);
    for (const { id, org_id: orgId, audience } of ended) {
      const type = audience === 'mcp' ? 'tool_token' : 'key';
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

/** Returns the organizations whose service user keys, app keys and invitations the caller may revoke. */
async function managedBy(trx: Transaction<DB>, { organization, principal, scopes }: Actor): Promise<Set<string>> {
  if (!scopes.has('org:write')) return new Set();
  const others = principal.type === 'user' ? await listAdministered(trx, principal.id) : [];
  return new Set([organization.id, ...others]);
}
