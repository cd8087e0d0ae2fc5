import { existsSync, readFileSync, readdirSync } from 'node:fs';
import type { RouteOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadRoutes } from '../src/features/define.ts';
import { features } from '../src/features/index.ts';
import { createApp } from '../src/http/app.ts';
import type { Feature } from '../src/http/route.ts';
import { scopes } from '../src/lib/scopes.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { contract } from './matrix/contract-table.ts';
import { responseOf } from './support/openapi.ts';

interface Declared {
  feature: Feature;
  method: string;
  url: string;
  options: RouteOptions;
}

let api: TestApi;
let routes: Declared[] = [];
let document: Record<string, unknown>;
let paths: Record<string, Record<string, { operationId: string; tags: string[]; responses: object }>>;

const source = new URL('../src/features/', import.meta.url);
/** Each folder of a feature, with the tags in its `feature.ts`. */
const groups = readdirSync(source)
  .filter((folder) => existsSync(new URL(`${folder}/feature.ts`, source)))
  .map((folder) => {
    const text = readFileSync(new URL(`${folder}/feature.ts`, source), 'utf8');
    return { folder, tags: [...text.matchAll(/ tag: '([^']+)'/g)].map(([, tag]) => tag) };
  });
/** The path prefixes of features whose folder has another name. */
const places: Record<string, string[]> = {
  'tool-token': ['session/mcp-token'],
  repositories: ['repositories', 'change-requests'],
  follow: ['repositories'],
};
/** Routes outside of the API: not in the document, and not bound by its rules. */
const outside = /^\/?$|^\/(?:console|sign-in|invites|healthz|readyz|git|git-run|mcp)(?:\/|$)/;
/** Routes that exist only to return a specific error code. */
const refused = /^(?:POST|PUT|PATCH) .*\/memory\/generated$|\/memory\/generated\/\*$/;
/** Routes that pass requests on to a server in a sandbox; the operation of their port stands for them. */
const passed = /^(?!GET ).*\/preview\/:port$|\/preview\/:port\/\*$/;

beforeAll(async () => {
  api = await startTestApi();
  const { ctx } = api;
  const watched = (await loadRoutes(features, ctx)).map((feature): Feature => {
    const watch: Feature['routes'][number] = (app) => {
      app.addHook('onRoute', (options) => {
        for (const method of [options.method].flat()) routes.push({ feature, method, url: options.url, options });
      });
    };
    return { ...feature, routes: [watch, ...feature.routes] };
  });
  const app = await createApp({
    db: ctx.db,
    log: ctx.log,
    features: watched,
    authenticate: () => Promise.reject(new Error('nobody asks')),
    authenticateCookie: () => Promise.reject(new Error('nobody asks')),
    authenticateTicket: () => Promise.reject(new Error('nobody asks')),
    baseUrl: () => 'http://127.0.0.1',
    resolvesTo: async () => false,
    sessionKeys: { admits: () => false, reaches: async () => false },
    requestLevel: 'info',
    rateLimit: { perSecond: 0, burst: 0 },
    trustedProxies: [],
    idempotencySecret: Buffer.alloc(32),
    refused: () => undefined,
    observe: () => undefined,
  });
  await app.ready();
  document = JSON.parse((await app.inject('/openapi.json')).body);
  paths = Object(document['paths']);
  await app.close();
  // A route at the root of its prefix exists with and without a trailing slash.
  routes = routes.filter(({ url, method }) => {
    // Each belongs to a GET.
    if (method === 'HEAD') return false;
    const plain = url.replace(/\/$/, '');
    return url === plain || !routes.some((other) => other.url === plain && other.method === method);
  });
});
afterAll(() => api.close());

function operations(): Declared[] {
  return routes.filter((route) =>
    [outside.test(route.url), refused.test(nameOf(route)), passed.test(nameOf(route))].every((one) => !one),
  );
}

function nameOf({ method, url }: Declared): string {
  return `${method} ${url.replace(/\/$/, '')}`;
}

function schemaOf({ options }: Declared): Record<string, unknown> {
  return { ...options.schema };
}

describe('every feature', () => {
  test('is in the table of contents', () => {
    const contents = readFileSync(new URL('index.ts', source), 'utf8');
    expect(groups.length).toBeGreaterThan(25);
    // An imported but unlisted feature does not compile.
    const missing = groups.filter(({ folder }) => !contents.includes(`'./${folder}/feature.ts'`));
    expect(missing).toEqual([]);
  });

  test('brings names of its own', () => {
    for (const kind of ['errors', 'ids', 'audit'] as const) {
      const all = features.flatMap((feature) => feature[kind] ?? []);
      expect([kind, all.filter((name, at) => all.indexOf(name) < at)]).toEqual([kind, []]);
    }
    const tasks = features.flatMap(({ maintenance = [] }) => maintenance.map(({ name }) => name));
    expect(new Set(tasks).size).toBe(tasks.length);
  });
});

describe('every operation', () => {
  test('is looked at', () => {
    expect(operations().length).toBeGreaterThan(60);
    expect(
      routes
        .filter(({ url }) => outside.test(url))
        .map(nameOf)
        .sort(),
    ).toEqual([
      'DELETE /mcp',
      'GET ',
      'GET /console',
      'GET /console/*',
      'GET /console/-/assets/*',
      'GET /console/:org/git-connections/app/new',
      'GET /git-run/*',
      'GET /git/:orgId/*',
      'GET /healthz',
      'GET /invites/:token',
      'GET /mcp',
      'GET /readyz',
      'GET /sign-in',
      'POST /git-run/*',
      'POST /git/:orgId/*',
      'POST /mcp',
    ]);
  });

  test('declares the scope that the contract gives it', () => {
    const allowed = new Set<unknown>([...scopes, 'any', 'none']);
    for (const route of operations()) {
      const expected = contract.get(nameOf(route).replaceAll(/:\w+|\*$/g, '{}'))?.scope;
      const scope = route.options.config?.scope;
      expect(allowed).toContain(scope);
      expect([nameOf(route), scope]).toEqual([nameOf(route), expected]);
    }
  });

  test('has the tag of its feature and an operationId of its own', () => {
    const ids = operations().map((route) => schemaOf(route)['operationId']);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z]+(?:[A-Z][a-z]+)+$/);
    for (const route of operations()) expect(schemaOf(route)['tags']).toEqual([route.feature.tag]);
  });

  test('has a schema for every status it can send', () => {
    for (const route of operations()) {
      const statuses = [...(route.options.config?.statuses ?? [])].map(String).sort();
      expect(statuses.length).toBeGreaterThan(5);
      const { response } = schemaOf(route);
      // Of a redirect 200 is the response of the place that it leads to, and of an upgrade what follows it.
      const redirects = statuses.some((status) => ['101', '302', '307'].includes(status));
      const declared = Object.entries(Object(response)).filter(
        ([status, schema]) => typeof schema === 'object' && !(redirects && status === '200'),
      );
      expect([nameOf(route), declared.map(([status]) => status).sort()]).toEqual([nameOf(route), statuses]);
    }
  });

  test('lies below the prefix of its feature, in the folder of that name', () => {
    for (const route of operations()) {
      const { tag, mount } = route.feature;
      const folders = groups.flatMap(({ folder, tags }) => (tags.includes(tag) ? [folder] : []));
      const mounts = { organization: '/v3/organizations/:orgId', v3: '/v3', root: '' };
      const prefixes = folders.flatMap((folder) =>
        mount === 'organization' && folder === 'organizations'
          ? mounts[mount]
          : (places[folder] ?? [folder]).map((place) => `${mounts[mount]}/${place}`),
      );
      expect(`${route.url.replace(/\/$/, '')}/`).toMatch(new RegExp(`^(?:${prefixes.join('|')})/`));
    }
  });

  test('is in the document, and nothing else is', () => {
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
    // The rest of a path is a parameter in the document.
    const declared = operations().map((route) => nameOf(route).replace(/\/\*$/, '/:path'));
    expect(documented.sort()).toEqual(declared.sort());
    for (const methods of Object.values(paths))
      for (const { operationId, responses } of Object.values(methods))
        for (const [status, response] of Object.entries(responses)) {
          const says: unknown = Object(responseOf(document, response)).description;
          expect([operationId, status, says]).toEqual([operationId, status, expect.stringMatching(/\.$/)]);
        }
  });

  test('that changes something by POST with a credential takes an Idempotency-Key; no other method does', () => {
    for (const route of operations()) {
      const { headers } = schemaOf(route);
      const takes = headers !== undefined && 'idempotency-key' in Object(Object(headers).properties);
      expect([nameOf(route), takes]).toEqual([
        nameOf(route),
        route.method === 'POST' && route.options.config?.scope !== 'none',
      ]);
    }
  });
});
