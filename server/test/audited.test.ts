import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from './support/api.ts';
import { createGitUser, withKey } from './support/git.ts';
import { eventType } from '../src/outbox/event-type.ts';
import { fixtures, ofAll, parameterOf, stock, type Inventory } from './support/inventory.ts';

let api: TestApi;
let mine: Inventory;
beforeAll(async () => {
  api = await startTestApi();
  const { slug, key } = await api.createOrganization('Audited');
  mine = await stock(api, slug, key);
});
afterAll(() => api.close());

/** Bodies that cannot be derived from the schema. */
const bodies = ofAll(({ changes }) => changes);
/** Query parameters of changes. */
const queries = ofAll(({ queries: some }) => some);
/** Operations that change nothing although their method is not GET. */
const changesNothing = new Set([...fixtures.values()].flatMap(({ reads = [] }) => reads));

interface Operation {
  id: string;
  method: string;
  path: string;
  body: unknown;
}

async function operations(): Promise<Operation[]> {
  const { json } = await api.call('GET', '/openapi.json');
  const all = Object.entries(Object(json['paths'])).flatMap(([path, methods]) =>
    Object.entries(Object(methods)).map(([method, operation]) => {
      const { operationId, requestBody } = Object(operation);
      const schema = Object(requestBody?.content?.['application/json']?.schema);
      const id = String(operationId);
      return {
        id,
        method: method.toUpperCase(),
        path,
        body: bodyOf(id) ?? valueOf(schema, Object(json['components'])),
      };
    }),
  );
  // Operations that end a resource come after those that need it; the deletion of the organization is last.
  const ends = [/cancel|close|suspend/i, /archive/i];
  const late = ({ id, method }: Operation): number =>
    id === 'deleteOrganization' ? 3 : method === 'DELETE' ? 2 : ends.findIndex((words) => words.test(id));
  return all
    .filter(({ id, method }) => method !== 'GET' && !changesNothing.has(id))
    .toSorted((a, b) => late(a) - late(b));
}

function bodyOf(id: string): object | undefined {
  const body = bodies[id];
  return typeof body === 'function' ? body(mine) : body;
}

/** Returns a minimal value for a schema. */
function valueOf(schema: { [key: string]: unknown }, components: { [key: string]: unknown }): unknown {
  const { $ref, type, required, properties, minItems, items } = schema;
  if (typeof $ref === 'string')
    return valueOf(Object(Object(components['schemas'])[$ref.split('/').at(-1) ?? '']), components);
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const one: unknown = Array.isArray(type) ? type[0] : type;
  if (one === 'array') return Number(minItems ?? 0) > 0 ? [valueOf(Object(items), components)] : [];
  if (one === 'integer' || one === 'number') return Number(schema['minimum'] ?? 1);
  if (one === 'boolean') return false;
  if (one === 'string') return 'x'.repeat(Math.max(1, Number(schema['minLength'] ?? 1)));
  const names = Array.isArray(required) ? required.map(String) : [];
  return Object.fromEntries(names.map((name) => [name, valueOf(Object(Object(properties)[name]), components)]));
}

/** Returns undefined if the inventory has no such resource. */
function urlOf(path: string): string | undefined {
  try {
    return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameterOf(path, name, mine));
  } catch {
    return undefined;
  }
}

async function actionsOf(requestId: string | null): Promise<string[]> {
  const { rows } = await api.ctx.db.pool.query<{ action: string }>(
    'select action from audit_entries where request_id = $1',
    [requestId],
  );
  return rows.map(({ action }) => action);
}

test('every change that succeeds is on record under its request and published, whatever it changes', async () => {
  const silent: string[] = [];
  const audited: string[] = [];
  const named = new Set<string>();
  for (const { id, method, path, body } of await operations()) {
    const url = urlOf(path);
    if (url === undefined) continue;
    const query = queries[id]?.(mine) ?? '';
    const options = method === 'DELETE' && body === undefined ? {} : { body: body ?? {} };
    const answer = await api.call(method, `${url}${query}`, { key: mine.key, ...options });
    if (answer.status >= 300) continue;
    const actions = await actionsOf(answer.headers.get('x-request-id'));
    for (const action of actions) named.add(action);
    (actions.length === 0 ? silent : audited).push(id);
  }
  expect(silent).toEqual([]);
  expect(audited.length).toBeGreaterThan(30);
  const { items } = (await api.call('GET', '/v3/organizations/default/audit-logs/actions')).json;
  expect([...named].filter((action) => !Array.isArray(items) || !items.includes(action))).toEqual([]);
  const unpublished = async (): Promise<string[]> => {
    const { rows } = await api.ctx.db.pool.query<{ type: string }>('select distinct type from outbox_events');
    const types = new Set(rows.map(({ type }) => type));
    // Sign-ins concern the user rather than a resource.
    return [...named].filter((action) => !action.startsWith('sign_in.') && !types.has(eventType(action)));
  };
  await expect.poll(unpublished, { timeout: 10_000 }).toEqual([]);
});

test('a push over git is on record, with the refs it moved', async () => {
  const { slug, key } = await api.createOrganization('Pushed');
  const body = { provider: 'local', repo: 'acme/pushed' };
  const { json } = await api.call('POST', `/v3/organizations/${slug}/repositories`, { key, body });
  const ada = await createGitUser();
  const work = await ada.start({ 'a.txt': 'one\n' });
  await ada.git(work, 'push', '-q', withKey(String(json['clone_url']), key), 'HEAD:refs/heads/main');
  await ada.close();
  const logs = await api.call('GET', `/v3/organizations/${slug}/audit-logs?action=repository.push`, { key });
  expect(logs.json['items']).toMatchObject([
    { resource: { type: 'repository', id: json['id'] }, changes: { refs: [{ ref: 'refs/heads/main' }] } },
  ]);
});
