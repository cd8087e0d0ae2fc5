import type { Kysely } from 'kysely';
import type { Actor } from '../../caller.ts';
import type { DB } from '../../db/types.ts';
import { scopeSet } from '../../lib/scopes.ts';
import { readActorApp, readActorMember, readActorServiceUser } from './actor-store.ts';

export { readActorOrganization } from './actor-store.ts';

/** Returns true if a principal may still start sessions. */
export async function mayRun(
  db: Kysely<DB>,
  orgId: string,
  { type, id }: Pick<Actor['principal'], 'type' | 'id'>,
): Promise<boolean> {
  return (await readActor(db, orgId, { type, id }))?.scopes.has('run') === true;
}

/** Returns a principal as far as it has the scope `run`; undefined for a disabled one, and one that the organization lost. */
export async function readActor(
  db: Kysely<DB>,
  orgId: string,
  { type, id }: Pick<Actor['principal'], 'type' | 'id'>,
): Promise<Omit<Actor, 'organization'> | undefined> {
  if (type === 'user') {
    const member = await readActorMember(db, orgId, id);
    if (member === undefined) return undefined;
    const { name, email, permission, role } = member;
    return { principal: { type, id, name, email }, scopes: scopeSet(permission, ['run']), permission, role };
  }
  if (type !== 'service_user' && type !== 'app') return undefined;
  const machine = await (type === 'app' ? readActorApp : readActorServiceUser)(db, orgId, id);
  if (machine === undefined) return undefined;
  const principal = { type, id, name: machine.name, email: '' };
  return { principal, scopes: scopeSet(null, ['run']), permission: '', role: '' };
}
