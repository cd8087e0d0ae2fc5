import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from './support/api.ts';
import { parameterOf, stock, type Inventory } from './support/inventory.ts';

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

/** What an operation needs to get as far as looking for the thing. */
const bodies: Record<string, object> = {
  createServiceUser: { name: 'x' },
  createServiceUserKey: { name: 'x', scopes: ['run'] },
  replaceIpAccessList: { enabled: false, entries: [] },
  diffBlueprints: { from: { id: 'bp_none' }, to: { id: 'bp_none' } },
  createGroup: { name: 'x' },
  replaceGroupMembers: { user_ids: [] },
  addGroupMembers: { user_ids: [] },
  removeGroupMembers: { user_ids: [] },
  createInvites: { emails: ['x@example.com'] },
  addIpAccessEntry: { cidr: '198.51.100.0/24' },
  createSecret: { key: 'NEW', value: 'x' },
  setSecretValue: { value: 'x' },
  createGitConnection: { provider: 'local' },
  createRepository: { provider: 'local', repo: 'acme/new' },
  commentOnChangeRequest: { body: 'x' },
  updateChangeRequestComment: { resolved: true },
  createSkill: { files: [{ path: 'SKILL.md', content: 'x' }] },
  validateSkill: { files: [{ path: 'SKILL.md', content: 'x' }] },
  importSkill: { url: 'http://127.0.0.1:9/none.git' },
  putSkillFile: { content: 'x' },
  createSession: { prompt: 'x' },
  sendSessionMessage: { content: 'x' },
  decideSessionApproval: { decision: 'deny' },
  updateMember: { permission: 'viewer' },
  updateAgent: { name: 'x' },
  updateSecret: { note: 'x' },
  createMcpServer: { name: 'x', url: 'https://tools.example.com' },
  setMcpServerSecret: { value: 'x' },
  createMemoryNote: { repo: 'acme/stock', provider: 'local', content: 'x' },
  createKnowledgeNote: { name: 'x', trigger: 'x', body: 'x' },
  replaceKnowledgeNote: { name: 'x', trigger: 'x', body: 'x' },
  createAppKey: { name: 'x', scopes: ['run'] },
};

/** Which organization, and what is no id of a thing. */
const notIds = new Set(['orgId', 'number', 'revision', 'namespace', 'path', 'token', 'name']);

/** Well-formed and nobody's. */
function missing(value: string): string {
  return /^\d+$/.test(value) ? '4242' : value.replace(/_.*/, `_${'0'.repeat(26)}`);
}

function ask({ method, path, id }: Operation, values: Record<string, string>): Promise<Answer> {
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
  const body = bodies[id] ?? (method === 'GET' || method === 'DELETE' ? undefined : {});
  return api.call(method, url, body === undefined ? {} : { body });
}

/** Status and body, without what differs from request to request or repeats what was asked. */
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
    for (const operation of operations)
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
      const values = { orgId: mine.orgId, id: mine.repositories, number: '77', commentId: mine.commentId };
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
      const ids = Object.values(theirs).filter((value) => value.includes('_') && value !== theirs.orgId);
      for (const id of ids) expect([operation.id, text.includes(id)]).toEqual([operation.id, false]);
    }
  });
});

/** Everything an organization has, but for what each of its own requests touches. */
async function stateOf({ orgId }: Inventory): Promise<string> {
  const tables = [
    'members',
    'agents',
    'apps',
    'api_keys',
    'service_users',
    'groups',
    'repositories',
    'change_requests',
    'change_request_comments',
    'sessions',
  ];
  const more = [
    'session_messages',
    'usage_records',
    'session_events',
    'git_connections',
    'ip_access_entries',
    'secrets',
    'settings',
    'secrets',
    'attachments',
    'mcp_servers',
    'mcp_server_secrets',
    'skills',
    'skill_revisions',
    'invites',
    'browser_sessions',
    'audit_entries',
    'memory_notes',
    'memory_note_revisions',
    'memory_projections',
    'memory_generated',
    'knowledge_notes',
    'knowledge_note_revisions',
    'knowledge_suggestions',
  ];
  const rows = await Promise.all(
    [...tables, ...more].map((table) =>
      api.ctx.db.pool.query(
        `select (to_jsonb(t) - 'last_used_at')::text as row from ${table} t where org_id = $1 order by 1`,
        [orgId],
      ),
    ),
  );
  return JSON.stringify(rows.map((result) => result.rows));
}
