import { issueKey, ownerOf } from '../../src/features/keys/service.ts';
import { newId } from '../../src/lib/ids.ts';
import { scopes, type Permission } from '../../src/lib/scopes.ts';
import type { TestApi } from './api.ts';

/** Creates a member of an organization who owns their e-mail, by default `<id>@example.com`; returns their id. */
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

/** Creates a personal key with every scope that the permission allows. */
export async function personalKey(api: TestApi, orgId: string, userId: string): Promise<string> {
  const owner = ownerOf(orgId, 'user', userId);
  return (await issueKey(api.ctx.db.kysely, { owner, name: 'test', scopes, now: api.ctx.clock.now() })).key;
}
