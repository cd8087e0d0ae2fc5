import type { IncomingMessage, ServerResponse } from 'node:http';
import { roleIn } from './route.ts';
import { role, type FakeState, type FakeToken } from './state.ts';

export interface GitRequests {
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
  after(then: (path: string) => void): void;
}

/** Git over HTTP, with the token as the password of any user name. */
export function createGitRequests(state: FakeState): GitRequests {
  const listeners: ((path: string) => void)[] = [];
  return {
    after: (then) => void listeners.push(then),
    async answer(request, response) {
      const { pathname, search } = new URL(request.url ?? '/', 'http://host');
      const [, name = '', path = ''] = /^\/(.+?)\.git(\/.+)$/.exec(decodeURIComponent(pathname)) ?? [];
      const isPush = `${path}${search}`.includes('receive-pack');
      const token = tokenIn(state, request);
      if (token?.state !== 'active' || !mayUseGit(token, isPush)) {
        response.writeHead(401, { 'www-authenticate': 'Basic realm="GitLab"' }).end('HTTP Basic: Access denied');
        return;
      }
      const all = [...state.projects.values()];
      const project = all.find((one) => one.path === name);
      const moved = project ?? all.find(({ formerPaths }) => formerPaths.includes(name));
      if (moved !== undefined && project === undefined) {
        response.writeHead(301, { location: `/${moved.path}.git${path}${search}` }).end();
        return;
      }
      if (project === undefined || roleIn(project, token) === 0) {
        response.writeHead(404).end('The project you were looking for could not be found.');
        return;
      }
      if (isPush && roleIn(project, token) < role.developer) {
        response.writeHead(403).end('You are not allowed to push code to this project.');
        return;
      }
      response.once('finish', () => {
        for (const then of listeners) then(path);
      });
      await project.repository.serve(request, response, path);
    },
  };
}

function tokenIn({ tokens }: FakeState, { headers }: IncomingMessage): FakeToken | undefined {
  const [, encoded = ''] = /^Basic (.+)$/.exec(headers.authorization ?? '') ?? [];
  const given = Buffer.from(encoded, 'base64').toString('utf8');
  return tokens.get(given.slice(given.indexOf(':') + 1));
}

function mayUseGit({ scopes }: FakeToken, isPush: boolean): boolean {
  const enough = isPush ? ['api', 'write_repository'] : ['api', 'write_repository', 'read_repository'];
  return enough.some((scope) => scopes.includes(scope));
}
