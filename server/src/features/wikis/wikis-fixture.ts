import { startTestApi } from '../../../test/support/api.ts';
import { createGitUser, withKey } from '../../../test/support/git.ts';
import { startIndexing } from '../repositories/code-index/jobs.ts';
import { startWikis } from './jobs.ts';

export type WikiFixture = Awaited<ReturnType<typeof createWikiFixture>>;

/** Starts an API that makes indexes and wikis, and a person who pushes to it. */
export async function createWikiFixture() {
  const api = await startTestApi();
  const ada = await createGitUser();
  startIndexing(api.ctx);
  startWikis(api.ctx);
  return {
    api,
    ada,
    /** Creates a repository with a work tree's commits. */
    async host(repo: string, work: string) {
      const repositories = '/v3/organizations/default/repositories';
      const { json } = await api.call('POST', repositories, { body: { provider: 'local', repo } });
      const url = withKey(String(json['clone_url']), api.adminKey);
      await ada.git(work, 'push', '-q', url, 'main');
      const path = `${repositories}/${String(json['id'])}`;
      const get = async (below: string) => (await api.call('GET', `${path}/${below}`)).json;
      return { id: String(json['id']), path, url, get };
    },
    async close(): Promise<void> {
      await ada.close();
      await api.close();
    },
  };
}
