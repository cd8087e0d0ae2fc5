import { defineFixture } from '../../../test/support/fixture.ts';
import { newId } from '../../lib/ids.ts';
import { insertApp } from './app-store.ts';

export const fixture = defineFixture({
  async make({ api, org, orgId, key }) {
    // Only a browser that GitHub redirects can create one.
    await api.ctx.db.transaction((trx) =>
      insertApp(trx, {
        id: newId('ga'),
        org_id: orgId,
        provider: 'github',
        url: 'https://github.example.com',
        app_id: '4711',
        slug: 'guildhall',
        name: 'Guildhall',
        html_url: 'https://github.example.com/github-apps/guildhall',
        sealed_private_key: Buffer.alloc(0),
        sealed_webhook_secret: Buffer.alloc(0),
        created_at: new Date(),
      }),
    );
    const { text } = await api.call('GET', `${org}/git-connections`, { key });
    return { 'git-connections/{id}': /gc_\w+/.exec(text)?.[0] ?? '' };
  },
  bodies: { createGitConnection: { provider: 'local' } },
  changes: { createGitConnection: { provider: 'local' }, updateGitConnection: { name: 'Other' } },
});
