import { issueKey, ownerOf } from '../../src/features/keys/service.ts';
import { newId } from '../../src/lib/ids.ts';
import { scopes, type Permission } from '../../src/lib/scopes.ts';
import type { TestApi } from './api.ts';

/** A new person of an organization, who owns their e-mail: `<id>@example.com` unless told; answers their id. */
export async function join(api: TestApi, orgId: string, permission: Permission, email = ''): Promise<string> {
  const id = newId('usr');
  await api.ctx.db.transaction(async (trx) => {
    const named = { id, email: email === '' ? `${id}@example.com` : email, name: `Person ${id.slice(-4)}` };
    await trx
      .insertInto('users')
      .values({ ...named, email_verified_at: new Date() })
      .execute();
    await trx.insertInto('members').values({ org_id: orgId, user_id: id, permission }).execute();
  });
  return id;
}

/** A key of a person that has every scope their permission allows. */
export async function personalKey(api: TestApi, orgId: string, userId: string): Promise<string> {
  const owner = ownerOf(orgId, 'user', userId);
  return (await issueKey(api.ctx.db.kysely, { owner, name: 'test', scopes, now: api.ctx.clock.now() })).key;
}
