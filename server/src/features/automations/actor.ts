import { withoutRequest, type Actor, type Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { AppError } from '../../lib/errors.ts';
import { scopeSet } from '../../lib/scopes.ts';
import { readActor, readActorOrganization } from '../auth/actors.ts';
import type { AutomationRow } from './store.ts';

export { readActorOrganization };

type Acting = Pick<AutomationRow, 'id' | 'org_id' | 'name' | 'run_as' | 'created_by_type' | 'created_by_id'>;

/**
 * Returns the caller for whom an automation acts: the organization, or its creator as far as the creator may still start
 * sessions. Only the scope `run`: the creator's key may have had no other. Throws 403 `forbidden`.
 */
export async function callerOf(ctx: Pick<Context, 'db'>, automation: Acting): Promise<Caller> {
  const organization = await readActorOrganization(ctx.db.kysely, automation.org_id);
  if (organization === undefined) throw gone('Its organization does not exist any more.');
  const who = automation.run_as === 'organization' ? bySystem(automation) : await creatorOf(ctx, automation);
  if (!who.scopes.has('run')) throw gone('Its creator may not start sessions any more.');
  return withoutRequest({ organization, ...who });
}

function bySystem({ id, name }: Acting): Omit<Actor, 'organization'> {
  return {
    principal: { type: 'system', id, name, email: '' },
    scopes: scopeSet(null, ['run']),
    permission: '',
    role: '',
  };
}

async function creatorOf(ctx: Pick<Context, 'db'>, automation: Acting): Promise<Omit<Actor, 'organization'>> {
  const { org_id: orgId, created_by_type: type, created_by_id: id } = automation;
  const creator = await readActor(ctx.db.kysely, orgId, { type, id });
  if (creator !== undefined) return creator;
  throw gone(`Its creator ${type === 'user' ? 'is not a member of the organization' : 'does not exist'} any more.`);
}

function gone(why: string): AppError {
  return new AppError('forbidden', `${why} Let somebody else create the automation, or set run_as to "organization".`);
}
