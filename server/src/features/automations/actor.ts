import { withoutRequest, type Actor, type Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { AppError } from '../../lib/errors.ts';
import { scopeSet } from '../../lib/scopes.ts';
import { readActorApp, readActorMember, readActorOrganization, readActorServiceUser } from './actor-store.ts';
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
  const db = ctx.db.kysely;
  if (type === 'user') {
    const member = await readActorMember(db, orgId, id);
    if (member === undefined) throw gone('Its creator is not a member of the organization any more.');
    const { name, email, permission, role } = member;
    return { principal: { type, id, name, email }, scopes: scopeSet(permission, ['run']), permission, role };
  }
  const machine =
    type === 'service_user'
      ? await readActorServiceUser(db, orgId, id)
      : type === 'app'
        ? await readActorApp(db, orgId, id)
        : undefined;
  if (machine === undefined) throw gone('Its creator does not exist any more.');
  const principal = { type, id, name: machine.name, email: '' };
  return { principal, scopes: scopeSet(null, ['run']), permission: '', role: '' };
}

function gone(why: string): AppError {
  return new AppError('forbidden', `${why} Let somebody else create the automation, or set run_as to "organization".`);
}
