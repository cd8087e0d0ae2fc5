import { join } from 'node:path';
import { defineFixture } from '../../../test/support/fixture.ts';
import { git } from '../../git/native.ts';

const firstCommit = `commit refs/heads/main
committer Ada <ada@example.org> 1790000000 +0000
data 5
First
M 100644 inline readme.md
data 0
`;

/** The change request is created with the session that proposed it. */
export const fixture = defineFixture({
  async make({ api, org, orgId, post }) {
    const id = String((await post(`${org}/repositories`, { provider: 'local', repo: 'acme/stock' }))['id']);
    const gitDir = join(api.ctx.config.repositories, orgId, `${id}.git`);
    await git(['fast-import', '--quiet'], { gitDir, input: firstCommit });
    return { 'repositories/{id}': id };
  },
  bodies: {
    createRepository: { provider: 'local', repo: 'acme/new' },
    commentOnChangeRequest: { body: 'x' },
    updateChangeRequestComment: { resolved: true },
  },
  changes: {
    createRepository: { provider: 'local', repo: 'acme/new' },
    updateChangeRequestComment: { resolved: true },
    updateRepository: { environment: { setup_command: 'true' } },
  },
});
