import type { TestApi } from '../support/api.ts';
import { createGitUser } from '../support/git.ts';
import { found } from './code.ts';
import { equip, learn } from './context.ts';
import { host } from './hosts.ts';
import { measure } from './measures.ts';
import { settle } from './past.ts';
import { hire } from './people.ts';
import { run } from './sessions.ts';
import { tend } from './tending.ts';
import { openShop, type Shop } from './world.ts';

/** Fills the organization of a server with what a team would have after some weeks. */
export async function fill(api: TestApi): Promise<Shop> {
  const shop = await openShop(api);
  const git = await createGitUser();
  try {
    await hire(shop);
    const branches = await found(shop, git);
    await equip(shop);
    await run(shop, branches);
    await learn(shop);
    await tend(shop);
    await measure(shop);
    await host(shop);
    await settle(shop);
  } finally {
    await git.close();
  }
  const { text } = await api.call('GET', '/v3/organizations/default/audit-logs?action=group.create');
  shop.values['audit-logs/{id}'] = /aud_\w+/.exec(text)?.[0] ?? '';
  return shop;
}
