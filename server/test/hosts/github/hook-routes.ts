import { instant } from './pulls.ts';
import type { RepositoryRoute, Route, RouteRequest } from './route.ts';
import { Answer, invalid, refusal, type FakeHook, type Repository } from './state.ts';

type InRepository = RouteRequest & { repository: Repository };
const needs = ['repository_hooks', 'write'] as const;

/** Routes of a repository's webhooks. */
export const hookRoutes: readonly RepositoryRoute[] = [
  {
    method: 'GET',
    pattern: /^\/hooks$/,
    needs,
    handle: (request) =>
      new Answer(
        200,
        request.repository.hooks.map((hook) => describe(request, hook)),
      ),
  },
  { method: 'POST', pattern: /^\/hooks$/, needs, handle: createHook },
  { method: 'PATCH', pattern: /^\/hooks\/(\d+)$/, needs, handle: updateHook },
];

function describe({ world, repository }: InRepository, hook: FakeHook): Record<string, unknown> {
  const url = `${world.url}/api/v3/repos/${repository.name}/hooks/${hook.id}`;
  const { secret: _, ...config } = hook.config;
  const links = { url, test_url: `${url}/test`, ping_url: `${url}/pings`, deliveries_url: `${url}/deliveries` };
  const times = { created_at: instant(world.now()), updated_at: instant(world.now()) };
  const last_response = { code: null, status: 'unused', message: null };
  return { type: 'Repository', name: 'web', ...hook, ...links, ...times, last_response, config };
}

function createHook(request: InRepository): Answer {
  const { repository, body, world } = request;
  const config = Object(body['config']);
  if (repository.hooks.some((hook) => hook.config['url'] === config.url))
    throw invalid({ resource: 'Hook', code: 'custom', message: 'Hook already exists on this repository' });
  const hook = { id: world.nextId(), active: true, events: eventsOf(body['events']), config };
  repository.hooks.push(hook);
  return new Answer(201, describe(request, hook));
}

function updateHook(request: InRepository): Answer {
  const { repository, body, parts } = request;
  const hook = repository.hooks.find(({ id }) => String(id) === parts[0]);
  if (hook === undefined) throw refusal(404, 'Not Found');
  Object.assign(hook, { config: Object(body['config']), events: eventsOf(body['events']) });
  return new Answer(200, describe(request, hook));
}

function eventsOf(events: unknown): string[] {
  return Array.isArray(events) ? events.map(String) : ['push'];
}

/** Routes of the App's webhook and its deliveries. */
export const deliveryRoutes: readonly Route[] = [
  {
    method: 'PATCH',
    pattern: /^\/app\/hook\/config$/,
    handle: ({ world, grant, body }) => {
      if (grant.kind !== 'app') throw refusal(401, 'A JSON web token could not be decoded');
      Object.assign(world.appHook, body);
      return new Answer(200, { ...world.appHook, secret: '********' });
    },
  },
  {
    method: 'GET',
    pattern: /^\/app\/hook\/deliveries$/,
    handle: ({ world, grant }) => {
      if (grant.kind !== 'app') throw refusal(401, 'A JSON web token could not be decoded');
      return new Answer(200, world.deliveries.toReversed());
    },
  },
  {
    method: 'POST',
    pattern: /^\/app\/hook\/deliveries\/(\d+)\/attempts$/,
    handle: ({ world, grant, parts: [id] }) => {
      if (grant.kind !== 'app') throw refusal(401, 'A JSON web token could not be decoded');
      const known = world.deliveries.find((one) => String(one.id) === id);
      if (known === undefined) throw refusal(404, 'Not Found');
      const delivered_at = instant(world.now());
      const sent = { ...known, id: world.nextId(), redelivery: true, status: 'OK', status_code: 202, delivered_at };
      world.deliveries.push(sent);
      return new Answer(202, {});
    },
  },
];
