import type { ConnectionRef, SourceControl } from '../port.ts';
import { webUrl } from './change-request.ts';
import { parsed, type GitlabClient } from './client.ts';
import { Projects, Token, User } from './shapes.ts';

/** GitLab's number of the role Developer, which may push and open merge requests. */
const developer = 30;

type AccountFunctions = Required<Pick<SourceControl, 'verify' | 'reachable'>>;

/** Functions for the account of a personal, project or group access token. */
export function accountFunctions(client: GitlabClient): AccountFunctions {
  const projects = async (connection: ConnectionRef, query: Record<string, string | number>) => {
    const path = 'projects';
    const joined = { membership: true, min_access_level: developer, archived: false };
    const order = { pagination: 'keyset', order_by: 'id', sort: 'asc' };
    return parsed(Projects, await client.send(connection, { path, query: { ...joined, ...order, ...query } }));
  };

  return {
    async verify(connection) {
      const { username } = parsed(User, await client.send(connection, { path: 'user' }));
      const { scopes } = parsed(Token, await client.send(connection, { path: 'personal_access_tokens/self' }));
      if (!scopes.includes('api')) return { account: username, missingPermissions: ['api'] };
      const [any] = await projects(connection, { per_page: 1 });
      return { account: username, missingPermissions: any === undefined ? ['Developer role in a project'] : [] };
    },
    async reachable(connection, { search, page, limit }) {
      const pageSize = Math.min(limit, 100);
      const query: Record<string, string | number> = { per_page: pageSize };
      if (/^\d{1,18}$/.test(page)) query['id_after'] = page;
      if (search !== '') Object.assign(query, { search, search_namespaces: 'true' });
      const found = await projects(connection, query);
      const last = found.length < pageSize ? undefined : found.at(-1);
      return {
        items: found.map((project) => ({
          repo: project.path_with_namespace,
          defaultBranch: project.default_branch ?? '',
          private: project.visibility !== 'public',
          url: webUrl(project.web_url),
        })),
        next: last === undefined ? '' : String(last.id),
      };
    },
  };
}
