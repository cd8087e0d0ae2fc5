import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issueSessionKey } from '../../src/features/sessions/run/session-key-service.ts';
import { issueKey, ownerOf } from '../../src/features/keys/service.ts';
import { scopes, type Permission, type Scope } from '../../src/lib/scopes.ts';
import { startTestApi, type Answer, type TestApi } from '../support/api.ts';
import { join } from '../support/members.ts';
import { start } from '../support/session-states.ts';
import { contract, type Access } from './contract-table.ts';

/** A kind of caller, and the expected response by the contract. */
interface Column {
  name: string;
  key: string;
  expects(access: Access, operation: Operation): Expected;
}

/** `past`: the caller was let in, whatever else is wrong with the request. */
type Expected = 'past' | `${number} ${string}`;

/** Number of concurrent requests. None of them changes anything. */
const inFlight = 8;

interface Operation {
  method: string;
  /** As in the document. */
  path: string;
  /** With `{}` for every parameter, as in the table. */
  name: string;
}

let api: TestApi;
let orgId: string;
let operations: Operation[];
beforeAll(async () => {
  api = await startTestApi();
  orgId = String((await api.call('GET', '/v3/organizations/default')).json['id']);
  const { json } = await api.call('GET', '/openapi.json', { key: '' });
  operations = Object.entries(Object(json['paths'])).flatMap(([path, methods]) =>
    Object.keys(Object(methods)).map((method) => {
      const verb = method.toUpperCase();
      return { method: verb, path, name: `${verb} ${path.replaceAll(/\{\w+\}/g, '{}')}` };
    }),
  );
});
afterAll(() => api.close());

async function keyOf(type: 'user' | 'service_user', id: string, granted: readonly Scope[], expires?: Date) {
  const owner = ownerOf(orgId, type, id);
  const now = api.ctx.clock.now();
  const input = { owner, name: 'matrix', scopes: granted, now };
  return (await issueKey(api.ctx.db.kysely, expires === undefined ? input : { ...input, expiresAt: expires })).key;
}

/** Returns the key of a running session. */
async function sessionKey(): Promise<string> {
  const made = await api.call('POST', '/v3/organizations/default/sessions', { body: { prompt: 'x' } });
  return (await issueSessionKey(api.ctx, await start(api, String(made.json['id'])))).key;
}

async function personWith(permission: Permission, granted: readonly Scope[]): Promise<string> {
  return keyOf('user', await join(api, orgId, permission), granted);
}

/** Returns the expectation for a caller with these scopes. */
function byScopes(granted: readonly Scope[], isPerson: boolean): Column['expects'] {
  return ({ scope, also, persons }) => {
    if (scope === 'none') return 'past';
    if (persons === true && !isPerson) return '403 forbidden';
    if (also !== undefined && !granted.includes(also)) return '403 forbidden';
    return scope === 'any' || granted.includes(scope) ? 'past' : '403 forbidden';
  };
}

const refused =
  (answer: Expected): Column['expects'] =>
  ({ scope }) =>
    scope === 'none' ? 'past' : answer;

/** Returns the expectation for a user with a permission, whose key has every scope. */
function columnOfPermission(permission: Permission, allowed: (scope: Scope) => boolean): Promise<Column> {
  return personWith(permission, scopes).then((key) => ({
    name: permission,
    key,
    expects: byScopes(scopes.filter(allowed), true),
  }));
}

async function columns(): Promise<Column[]> {
  const elsewhere = await api.createOrganization('Elsewhere');
  const revoked = await personWith('admin', scopes);
  await api.ctx.db.pool.query('update api_keys set revoked_at = now() where id = (select max(id) from api_keys)');
  const serviceUser = await api.call('POST', '/v3/organizations/default/service-users', { body: { name: 'machine' } });
  const machine = String(serviceUser.json['id']);
  const past = new Date(api.ctx.clock.now().getTime() - 1_000);
  const single = await Promise.all(
    scopes.map(async (scope): Promise<Column[]> => [
      {
        name: `a service user with ${scope}`,
        key: await keyOf('service_user', machine, [scope]),
        expects: byScopes([scope], false),
      },
      { name: `a person with ${scope}`, key: await personWith('admin', [scope]), expects: byScopes([scope], true) },
    ]),
  );
  return [
    { name: 'no key', key: '', expects: refused('401 unauthorized') },
    { name: 'a revoked key', key: revoked, expects: refused('401 key_revoked') },
    {
      name: 'an expired key',
      key: await keyOf('service_user', machine, scopes, past),
      expects: refused('401 key_expired'),
    },
    {
      name: "another organization's admin",
      key: elsewhere.key,
      expects: ({ scope }, { path }) =>
        scope !== 'none' && path.includes('{orgId}') ? '404 organization_not_found' : 'past',
    },
    await columnOfPermission('viewer', (scope) => scope.endsWith(':read')),
    await columnOfPermission('member', (scope) => scope !== 'org:write' && scope !== 'guardrails:write'),
    {
      name: "a session's key",
      key: await sessionKey(),
      expects: ({ sessions }) => (sessions === true ? 'past' : '403 forbidden'),
    },
    ...single.flat(),
  ];
}

/** Sends a request without effect: with unknown ids and an empty body. */
function ask({ method, path }: Operation, key: string): Promise<Answer> {
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name === 'orgId' ? orgId : name === 'number' ? '4242' : name === 'namespace' ? 'unknown' : `none_${'0'.repeat(26)}`,
  );
  // Starting a browser only needs a worker, and none runs here; so the body names a missing session.
  const body = path === '/browser/sessions' ? { session_id: 'ses_none' } : {};
  return api.call(method, url, method === 'GET' || method === 'DELETE' ? { key } : { key, body });
}

function outcomeOf({ status, json }: Answer): Expected {
  const error = String(json['error']);
  if (status === 401 || status === 403 || status >= 500 || error === 'organization_not_found')
    return `${status} ${error}`;
  return 'past';
}

describe('who may do what', () => {
  test('the table has every operation of the document, and no other', () => {
    const names = operations.map(({ name }) => name).toSorted((a, b) => a.localeCompare(b));
    expect(names).toEqual([...contract.keys()].toSorted((a, b) => a.localeCompare(b)));
  });

  test('every operation answers every kind of caller as the table says', { timeout: 300_000 }, async () => {
    const wrong: string[] = [];
    let cells = 0;
    const look = async (column: Column, operation: Operation): Promise<void> => {
      const access = contract.get(operation.name);
      if (access === undefined) return;
      const expected = column.expects(access, operation);
      const outcome = outcomeOf(await ask(operation, column.key));
      cells += 1;
      if (outcome !== expected) wrong.push(`${operation.name} by ${column.name}: ${outcome}, not ${expected}`);
    };
    for (const column of await columns())
      for (let at = 0; at < operations.length; at += inFlight)
        await Promise.all(operations.slice(at, at + inFlight).map((operation) => look(column, operation)));
    process.stdout.write(
      `${cells} cells: ${operations.length} operations by ${cells / operations.length} kinds of caller\n`,
    );
    expect(wrong).toEqual([]);
    expect(cells).toBeGreaterThan(3_000);
  });
});
