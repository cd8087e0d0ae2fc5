import { accountRoutes } from './account-routes.ts';
import { checkRoutes } from './check-routes.ts';
import type { GraphqlApi } from './graphql.ts';
import { graphqlResolvers } from './graphql-routes.ts';
import { allows, sees } from './grants.ts';
import { deliveryRoutes, hookRoutes } from './hook-routes.ts';
import { pullRoutes } from './pull-routes.ts';
import { saidResolvers } from './said-graphql.ts';
import { saidRoutes } from './said-routes.ts';
import type { World } from './route.ts';
import { Answer, refusal, type Grant, type Repository } from './state.ts';

export interface ApiRequest {
  readonly method: string;
  /** Below the base URL. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly token: string;
}

/** Answers a request to the REST API. */
export async function answerRest(world: World, { method, path, query, body, token }: ApiRequest): Promise<Answer> {
  // Whoever has a manifest's code needs no token.
  const grant = path.startsWith('/app-manifests/') ? ({ kind: 'app' } as const) : world.grants.of(token);
  const shared = { world, grant, query, body: Object(body) };
  const route = [...accountRoutes, ...deliveryRoutes].find((one) => one.method === method && one.pattern.test(path));
  if (route !== undefined) return route.handle({ ...shared, parts: route.pattern.exec(path)?.slice(1) ?? [] });
  const [, owner = '', name = '', rest = ''] = /^\/repos\/([^/]+)\/([^/]+)(.*)$/.exec(path) ?? [];
  const [, id, below = ''] = /^\/repositories\/(\d+)(.*)$/.exec(path) ?? [];
  const repository = world.repositories.find((one) =>
    id === undefined ? same(one.name, `${owner}/${name}`) : String(one.id) === id,
  );
  if (repository === undefined) throw redirect(world, grant, method, `${owner}/${name}`, rest, query);
  if (!sees(grant, repository) || repository.name === '') throw refusal(404, 'Not Found');
  const tail = id === undefined ? rest : below;
  const found = [...pullRoutes, ...saidRoutes, ...checkRoutes, ...hookRoutes].find(
    (one) => one.method === method && one.pattern.test(tail),
  );
  if (found === undefined) throw refusal(404, 'Not Found');
  const [permission, level] = found.needs;
  if (!allows(grant, repository, permission, level)) throw lacks(grant, permission, level);
  if (level === 'write' && repository.isArchived) throw refusal(403, 'Repository was archived so is read-only.');
  return found.handle({ ...shared, repository, parts: found.pattern.exec(tail)?.slice(1) ?? [] });
}

function same(one: string, other: string): boolean {
  return one !== '' && one.toLowerCase() === other.toLowerCase();
}

/** Returns the redirect of a renamed repository, or 404. */
function redirect(world: World, grant: Grant, method: string, name: string, rest: string, query: URLSearchParams) {
  const renamed = world.repositories.find(({ oldNames }) => oldNames.some((old) => same(old, name)));
  if (renamed === undefined || renamed.name === '' || !sees(grant, renamed)) return refusal(404, 'Not Found');
  const search = query.size === 0 ? '' : `?${query.toString()}`;
  const location = `${world.url}/api/v3/repositories/${renamed.id}${rest}${search}`;
  const status = method === 'GET' ? 301 : 307;
  return new Answer(status, { message: 'Moved Permanently', url: location }, { location });
}

function lacks(grant: Grant, permission: string, level: string): Answer {
  const who = grant.kind === 'installation' ? 'integration' : 'personal access token';
  return refusal(403, `Resource not accessible by ${who}`, {
    'x-accepted-github-permissions': `${permission}=${level}`,
  });
}

/** Answers a request to the GraphQL API. */
export async function answerGraphql(world: World, graphql: GraphqlApi, { body, token }: ApiRequest) {
  const grant = world.grants.of(token);
  const { query, variables } = Object(body);
  const {
    invalid,
    data,
    errors = [],
  } = await graphql.run(String(query), variables, {
    ...graphqlResolvers(world, grant),
    ...saidResolvers(world, grant),
  });
  const refused = errors.map(({ message }) => ({ type: 'UNPROCESSABLE', message }));
  const problems = invalid.map((message) => ({ message }));
  const failed = [...problems, ...refused];
  return { invalid, answer: new Answer(200, failed.length === 0 ? { data } : { data: data ?? null, errors: failed }) };
}

export function isRepository(repository: Repository, name: string): boolean {
  return same(repository.name, name);
}
