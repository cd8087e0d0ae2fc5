import { repositoryFields } from './describe.ts';
import { allows, sees } from './grants.ts';
import { instant } from './pulls.ts';
import { pageOf, type Route, type RouteRequest, type World } from './route.ts';
import { Answer, refusal, type Grant, type Repository } from './state.ts';

/** Routes of the App, its installation, and the token's user. */
export const accountRoutes: readonly Route[] = [
  { method: 'POST', pattern: /^\/app-manifests\/([^/]+)\/conversions$/, handle: convertManifest },
  { method: 'GET', pattern: /^\/app$/, handle: readApp },
  { method: 'GET', pattern: /^\/app\/installations\/(\d+)$/, handle: readInstallation },
  { method: 'POST', pattern: /^\/app\/installations\/(\d+)\/access_tokens$/, handle: createToken },
  { method: 'GET', pattern: /^\/installation\/repositories$/, handle: listInstallationRepositories },
  { method: 'GET', pattern: /^\/user$/, handle: readUser },
  { method: 'GET', pattern: /^\/user\/repos$/, handle: listUserRepositories },
];

/** A code is valid once. The App is the one of the fake. */
function convertManifest({ world, parts: [code = ''] }: RouteRequest): Answer {
  if (!world.codes.delete(code)) throw refusal(404, 'Not Found');
  const { id, slug, privateKey } = world.grants.app;
  return new Answer(201, {
    ...world.judge.example('post /app-manifests/{code}/conversions', 201),
    id: Number(id),
    slug,
    html_url: `${world.url}/github-apps/${slug}`,
    pem: privateKey,
    webhook_secret: world.appHook['secret'],
  });
}

function readApp({ world, grant }: RouteRequest): Answer {
  requireApp(grant);
  const { slug, permissions } = world.grants.app;
  return new Answer(200, { ...world.judge.example('get /app', 200), slug, permissions });
}

function requireApp(grant: Grant): void {
  if (grant.kind !== 'app') throw refusal(401, 'A JSON web token could not be decoded');
}

function requireInstallation({ world, grant, parts: [id] }: RouteRequest): void {
  requireApp(grant);
  const { app } = world.grants;
  if (id !== app.installationId || !app.isInstalled) throw refusal(404, 'Not Found');
}

function readInstallation(request: RouteRequest): Answer {
  requireInstallation(request);
  const { judge, grants } = request.world;
  const { permissions, suspendedAt, slug, installationId } = grants.app;
  return new Answer(200, {
    ...judge.example('get /app/installations/{installation_id}', 200),
    id: Number(installationId),
    app_slug: slug,
    permissions,
    suspended_at: suspendedAt,
  });
}

function createToken(request: RouteRequest): Answer {
  requireInstallation(request);
  const { world, body } = request;
  const { app } = world.grants;
  if (app.suspendedAt !== null) throw refusal(403, 'This installation has been suspended');
  const asked = Object.entries(Object(body['permissions'] ?? app.permissions)).map(([name, level]) => [
    name,
    String(level),
  ]);
  const isGranted = asked.every(
    ([name = '', level]) => app.permissions[name] === 'write' || app.permissions[name] === level,
  );
  if (!isGranted) throw refusal(422, 'The permissions requested are not granted to this installation.');
  const names: unknown = body['repositories'];
  const repositories = Array.isArray(names) ? names.map((name) => idOf(world, String(name))) : undefined;
  const permissions: Record<string, string> = Object.fromEntries(asked);
  const token = world.grants.mint(permissions, repositories);
  const expires = instant(new Date(world.now().getTime() + 3_600_000));
  return new Answer(201, {
    token,
    expires_at: expires,
    permissions,
    repository_selection: repositories === undefined ? 'all' : 'selected',
  });
}

function idOf({ repositories }: World, name: string): number {
  const found = repositories.find((repository) => repository.name.split('/')[1] === name);
  if (found === undefined)
    throw refusal(
      422,
      'There is at least one repository that does not exist or is not accessible to the parent installation.',
    );
  return found.id;
}

function listInstallationRepositories({ world, grant, query }: RouteRequest): Answer {
  if (grant.kind !== 'installation') throw refusal(403, 'You must authenticate with an installation access token.');
  const seen = world.repositories.filter((repository) => repository.name !== '' && sees(grant, repository));
  const { page, headers } = pageOf(seen, query, `${world.url}/api/v3/installation/repositories`);
  const repositories = page.map((repository) => describeRepository(world, grant, repository));
  return new Answer(200, { total_count: seen.length, repositories }, headers);
}

function readUser({ world, grant }: RouteRequest): Answer {
  if (grant.kind !== 'token') throw refusal(403, 'Resource not accessible by integration');
  return new Answer(200, { ...world.judge.example('get /user', 200), login: grant.login });
}

function listUserRepositories({ world, grant, query }: RouteRequest): Answer {
  if (grant.kind !== 'token') throw refusal(403, 'Resource not accessible by integration');
  const seen = world.repositories.filter((repository) => repository.name !== '' && sees(grant, repository));
  const { page, headers } = pageOf(seen, query, `${world.url}/api/v3/user/repos`);
  return new Answer(
    200,
    page.map((repository) => describeRepository(world, grant, repository)),
    headers,
  );
}

/** Describes a repository to whoever asks. */
export function describeRepository(world: World, grant: Grant, repository: Repository): Record<string, unknown> {
  const push = grant.kind === 'token' ? true : allows(grant, repository, 'contents', 'write');
  const fields = repositoryFields(world.judge, world.url, repository);
  return { ...fields, permissions: { admin: false, push, pull: true } };
}
