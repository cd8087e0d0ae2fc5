import { withoutRequest } from '../../caller.ts';
import { scopeSet } from '../../lib/scopes.ts';
import { actOnChangeRequest } from '../repositories/action-service.ts';
import { archiveFollowed } from '../sessions/api/follow-service.ts';
import type { ActContext, Subject } from './subject.ts';

/** Merges a change request of the built-in host, unless its head moved since the decision. */
export async function mergeFollowed(
  ctx: ActContext,
  { organization, source, ref, change, repository }: Subject,
  headSha: string,
): Promise<void> {
  const said = await source.changeRequest(ref, change.number);
  if (said?.state !== 'open' || said.headSha !== headSha) return;
  const principal = { type: 'system', id: '', name: 'Guildhall', email: '' } as const;
  const scopes = scopeSet(null, ['run']);
  const caller = withoutRequest({ organization, principal, scopes, permission: '', role: '' });
  await actOnChangeRequest(ctx, caller, { repositoryId: repository.id, number: change.number }, 'merge');
}

/** Archives the session of a change request that ended, and deletes its branch unless someone pushed to it since. */
export async function endFollowed(ctx: ActContext, subject: Subject): Promise<void> {
  const { organization, source, ref, change, sessionId } = subject;
  const head = await source.branchHead(ref, change.head_ref);
  const isSessions = change.session_id !== '';
  if (isSessions && head === change.head_sha && change.head_ref !== change.base_ref)
    await source.deleteBranch?.(ref, change.head_ref);
  await ctx.db.transaction((trx) => archiveFollowed(ctx, trx, organization.id, sessionId));
}
