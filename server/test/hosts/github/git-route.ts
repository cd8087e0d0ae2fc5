import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseGitPath, parseService } from '../../../src/git/http-path.ts';
import { isRepository } from './api.ts';
import { allows, sees } from './grants.ts';
import type { World } from './route.ts';
import { Answer } from './state.ts';

/** Serves git over HTTP as GitHub does: any user name with a token as the password. */
export async function serveRepository(
  world: World,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = parseGitPath(url.pathname);
  const service = path?.endpoint === 'info/refs' ? parseService(url.searchParams.get('service')) : path?.endpoint;
  if (path === undefined || service === undefined) return end(response, 404);
  const token = passwordOf(request.headers.authorization);
  const grant = grantOf(world, token);
  if (grant === undefined) return end(response, 401, { 'www-authenticate': 'Basic realm="GitHub"' });
  const repository = world.repositories.find((one) => isRepository(one, path.repo));
  const renamed = world.repositories.find(({ oldNames }) => oldNames.includes(path.repo));
  if (repository === undefined && renamed !== undefined)
    return end(response, 301, { location: url.pathname.replace(path.repo, renamed.name) + url.search });
  if (repository === undefined || !sees(grant, repository)) return end(response, 404);
  const level = service === 'receive-pack' ? 'write' : 'read';
  if (!allows(grant, repository, 'contents', level)) return end(response, 403);
  await repository.bare.serve(request, response, path.endpoint === 'info/refs' ? '/info/refs' : `/git-${service}`);
}

function grantOf({ grants }: World, token: string) {
  try {
    return grants.of(token);
  } catch (error) {
    if (error instanceof Answer) return undefined;
    throw error;
  }
}

function passwordOf(authorization = ''): string {
  const [, encoded = ''] = /^Basic (.+)$/.exec(authorization) ?? [];
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  return text.slice(text.indexOf(':') + 1);
}

function end(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, headers).end();
}
