import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from './support/api.ts';
import { ofAll, parameterOf, stock, type Inventory } from './support/inventory.ts';

interface Operation {
  method: string;
  path: string;
  id: string;
  parameters: string[];
}

let api: TestApi;
let mine: Inventory;
let theirs: Inventory;
let operations: Operation[];
beforeAll(async () => {
  api = await startTestApi();
  const other = await api.createOrganization('Elsewhere');
  mine = await stock(api, 'default', api.adminKey);
  theirs = await stock(api, other.slug, other.key);
  const { json } = await api.call('GET', '/openapi.json');
  operations = Object.entries(Object(json['paths'])).flatMap(([path, methods]) =>
    Object.entries(Object(methods)).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      id: String(Object(operation).operationId),
      parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
    })),
  );
});
afterAll(() => api.close());

/** Bodies with which an operation looks for the resource. */
const bodies = ofAll(({ bodies: some }) => some);

/** Required query parameters. */
const queries = ofAll(({ queries: some }) => some);

/** Operations that anyone may call: one that exists asks for a signature, and shows nothing without. */
const signed = new Set(['receiveHook']);

/** Path parameters that are not ids of resources. */
const notIds = new Set(['orgId', 'number', 'port', 'revision', 'namespace', 'path', 'token', 'name', 'slug']);

/** Returns a well-formed id that does not exist. */
function missing(value: string): string {
  return /^\d+$/.test(value) ? '4242' : value.replace(/_.*/, `_${'0'.repeat(26)}`);
}

function ask({ method, path, id }: Operation, values: Record<string, string>): Promise<Answer> {
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
  const body = bodies[id] ?? (method === 'GET' || method === 'DELETE' ? undefined : {});
  return api.call(method, `${url}${queries[id]?.(mine) ?? ''}`, body === undefined ? {} : { body });
}

/** Returns status and body, without parts that vary or repeat the request. */
function plain({ status, text }: Answer, values: Record<string, string>): unknown[] {
  const anonymous = text.replace(/req_\w+/, '<request>');
  return [
    status,
    Object.entries(values).reduce((all, [name, value]) => all.replaceAll(`"${value}\\"`, `"<${name}>\\"`), anonymous),
  ];
}

describe('another organization', () => {
  test('answers as a missing one, to every operation', async () => {
    const below = operations.filter(({ parameters }) => parameters.includes('orgId'));
    expect(below.length).toBeGreaterThan(50);
    for (const operation of below) {
      const own = Object.fromEntries(
        operation.parameters.map((name) => [name, parameterOf(operation.path, name, theirs)]),
      );
      const none = { ...own, orgId: missing(own['orgId'] ?? '') };
      const [foreign, absent] = [await ask(operation, own), await ask(operation, none)];
      expect([operation.id, foreign.status, foreign.json['error']]).toEqual([
        operation.id,
        404,
        'organization_not_found',
      ]);
      expect(plain(foreign, { orgId: own['orgId'] ?? '' })).toEqual(plain(absent, { orgId: none.orgId }));
    }
  });

  test("its things answer as missing ones, at every place of every operation's path", async () => {
    let looked = 0;
    for (const operation of operations.filter(({ id }) => !signed.has(id)))
      for (const at of operation.parameters.filter((name) => !notIds.has(name))) {
        const own = Object.fromEntries(
          operation.parameters.map((name) => [name, parameterOf(operation.path, name, mine)]),
        );
        const foreign = { ...own, [at]: parameterOf(operation.path, at, theirs) };
        const absent = { ...own, [at]: missing(own[at] ?? '') };
        const [one, other] = [await ask(operation, foreign), await ask(operation, absent)];
        expect([operation.id, at, one.status]).toEqual([operation.id, at, 404]);
        expect([operation.id, ...plain(one, foreign)]).toEqual([operation.id, ...plain(other, absent)]);
        looked += 1;
      }
    expect(looked).toBeGreaterThan(40);
  });

  test('its number of a change request is none of mine', async () => {
    const { rows } = await api.ctx.db.pool.query('update change_requests set number = 77 where org_id = $1', [
      theirs.orgId,
    ]);
    expect(rows).toEqual([]);
    for (const operation of operations.filter(({ parameters }) => parameters.includes('number'))) {
      const own = operation.parameters.map((name) => [name, parameterOf(operation.path, name, mine)]);
      const values = { ...Object.fromEntries(own), number: '77' };
      const answer = await ask(operation, values);
      expect([operation.id, answer.status, answer.json['error']]).toEqual([
        operation.id,
        404,
        'change_request_not_found',
      ]);
    }
  });

  test('nothing of it was changed or is listed', async () => {
    const before = await stateOf(theirs);
    for (const operation of operations.filter(({ parameters }) => parameters.length > 0)) {
      const values = Object.fromEntries(
        operation.parameters.map((name) => [name, parameterOf(operation.path, name, theirs)]),
      );
      await ask(operation, values);
      await ask(operation, { ...values, orgId: mine.orgId });
    }
    expect(await stateOf(theirs)).toEqual(before);
    for (const operation of operations.filter(({ method, id }) => method === 'GET' && id.startsWith('list'))) {
      const values = Object.fromEntries(
        operation.parameters.map((name) => [name, parameterOf(operation.path, name, mine)]),
      );
      const { text } = await ask(operation, values);
      const ids = Object.values(theirs.values).filter((value) => /^[a-z]+_[0-9a-z]{26}$/.test(value));
      expect(ids.length).toBeGreaterThan(20);
      for (const id of ids) expect([operation.id, text.includes(id)]).toEqual([operation.id, false]);
    }
  });
});

/** Tables that its own requests or background work change. */
const passing = new Set(['idempotency_keys', 'rate_limits', 'measurements', 'measurements_pending']);

/** Returns everything that an organization has, in any table. */
async function stateOf({ orgId }: Inventory): Promise<string> {
  const { pool } = api.ctx.db;
  const { rows: tables } = await pool.query<{ name: string }>(
    `select c.table_name as name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and c.column_name = 'org_id' and t.table_type = 'BASE TABLE' order by 1`,
  );
  const names = tables.map(({ name }) => name).filter((name) => !passing.has(name));
  expect(names.length).toBeGreaterThan(35);
  const rows = await Promise.all(
    names.map((table) =>
      pool.query(`select (to_jsonb(t) - 'last_used_at')::text as row from ${table} t where org_id = $1 order by 1`, [
        orgId,
      ]),
    ),
  );
  return JSON.stringify(rows.map((result, at) => [names[at], result.rows]));
}
