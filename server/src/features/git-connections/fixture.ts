import { defineFixture } from '../../../test/support/fixture.ts';
import { newId } from '../../lib/ids.ts';
import { insertApp } from './app-store.ts';

export const fixture = defineFixture({
  async make({ api, org, orgId, key }) {
    // Only a browser that GitHub redirects can create one.
    const appId = newId('ga');
    const { connections } = api.ctx.hostParts;
    const place = { orgId, connectionId: appId };
    const sealed_private_key = await connections.sealAppKey(place, 'not a key');
    const sealed_webhook_secret = await connections.sealWebhookSecret(place, 'a secret');
    await api.ctx.db.transaction((trx) =>
      insertApp(trx, {
        id: appId,
        org_id: orgId,
        provider: 'github',
        url: 'https://github.example.com',
        app_id: '4711',
        slug: 'guildhall',
        name: 'Guildhall',
        html_url: 'https://github.example.com/github-apps/guildhall',
        sealed_private_key,
        sealed_webhook_secret,
        created_at: new Date(),
      }),
    );
    const { text } = await api.call('GET', `${org}/git-connections`, { key });
    return { 'git-connections/{id}': /gc_\w+/.exec(text)?.[0] ?? '', 'git-connections/apps/{id}': appId };
  },
  bodies: { createGitConnection: { provider: 'local' } },
  changes: { createGitConnection: { provider: 'local' }, updateGitConnection: { name: 'Other' } },
});
