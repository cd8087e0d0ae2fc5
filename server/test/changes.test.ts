import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from './support/api.ts';
import { join } from './support/members.ts';

const org = '/v3/organizations/default';
let api: TestApi;
let orgId: string;
beforeAll(async () => {
  api = await startTestApi();
  orgId = String((await api.call('GET', org)).json['id']);
  await api.call('POST', `${org}/repositories`, { body: { provider: 'local', repo: 'acme/kept' } });
});
afterAll(() => api.close());

interface Resource {
  path: string;
  create: Record<string, unknown>;
  /** A PATCH with the current values. */
  same: Record<string, unknown>;
  other: Record<string, unknown>;
  id?: string;
}

const skill = { files: [{ path: 'SKILL.md', content: '---\nname: same\ndescription: x\n---\n' }] };
const resources: Resource[] = [
  { path: 'service-users', create: { name: 'A' }, same: { name: 'A', description: '' }, other: { name: 'B' } },
  {
    path: 'groups',
    create: { name: 'A', limits: { per_day: { sessions: 3 } } },
    same: { name: ' A ', limits: { per_day: { sessions: 3, tokens: null }, timezone: 'utc' } },
    other: { limits: { per_day: { sessions: 4 } } },
  },
  {
    path: 'secrets',
    create: { key: 'SAME', value: 'a value of some length', note: 'n' },
    same: { note: 'n', exposure: 'sandbox' },
    other: { note: 'm' },
  },
  {
    path: 'mcp-servers',
    create: { name: 'A', url: 'https://t.example.com', access: 'repositories', repos: ['acme/kept'] },
    same: { name: 'A', repos: ['local:acme/kept'], headers: {} },
    other: { access: 'organization' },
  },
  {
    path: 'knowledge/notes',
    create: { name: 'A', trigger: 't', body: 'b' },
    same: { name: 'A', enabled: true },
    other: { body: 'c' },
    id: 'note_id',
  },
  {
    path: 'memory/notes',
    create: { repo: 'acme/kept', provider: 'local', content: 'c' },
    same: { content: ' c ' },
    other: { content: 'd' },
    id: 'memory_id',
  },
  { path: 'skills', create: skill, same: { ...skill, enabled: true, assignments: [] }, other: { enabled: false } },
  {
    path: 'repositories',
    create: { provider: 'local', repo: 'acme/same' },
    same: { default_branch: 'main', environment: { image: '' } },
    other: { environment: { setup_command: 'make' } },
  },
  {
    path: 'sessions',
    create: { prompt: 'x', title: 'T', tags: ['a'], metadata: { k: 1, l: 'm' } },
    same: { title: 'T', tags: ['a'], metadata: { l: 'm', k: 1 } },
    other: { title: 'U' },
  },
];

async function made({ path, create, id = 'id' }: Resource): Promise<string> {
  const { status, json, text } = await api.call('POST', `${org}/${path}`, { body: create });
  expect([status, text]).toEqual([201, text]);
  return `${org}/${path}/${String(json[id] ?? Object(json['item'])[id])}`;
}

/** Returns the audited actions on a resource, oldest first. */
async function actionsOn(at: string): Promise<string[]> {
  const { rows } = await api.ctx.db.pool.query<{ action: string }>(
    'select action from audit_entries where resource_id = $1 order by id',
    [at.split('/').at(-1)],
  );
  return rows.map(({ action }) => action);
}

describe('a PUT or DELETE that says what holds already', () => {
  const count = async () => (await api.ctx.db.pool.query('select count(*)::int as n from audit_entries')).rows;

  test.each<[string, string, () => Promise<object>]>([
    [
      'a role',
      'roles',
      async () => ({ user_id: await join(api, orgId, 'member', 'role@example.com'), role: 'regular' }),
    ],
    ['an IP access list', 'ip-access-list', async () => ({ enabled: false, entries: [{ cidr: '10.0.0.0/8' }] })],
    ['settings', 'settings/memory', async () => ({ retention_days: 30 })],
  ])('leaves no entry: %s', async (_name, path, input) => {
    const body = await input();
    const first = await api.call('PUT', `${org}/${path}`, { body });
    const entries = await count();
    expect(await api.call('PUT', `${org}/${path}`, { body })).toMatchObject({ status: 200, json: first.json });
    expect(await count()).toEqual(entries);
  });

  test('leaves no entry: members whom a group has, or lacks', async () => {
    const { json } = await api.call('POST', `${org}/groups`, { body: { name: 'Repeated' } });
    const members = `${org}/groups/${String(json['id'])}/members`;
    const body = { user_ids: [await join(api, orgId, 'member', 'group@example.com')] };
    for (const method of ['POST', 'PUT', 'DELETE']) {
      if (method !== 'PUT') await api.call(method, members, { body });
      const entries = await count();
      expect((await api.call(method, members, { body })).status).toBe(200);
      expect([method, await count()]).toEqual([method, entries]);
    }
  });

  test('leaves no entry: the default of settings', async () => {
    const place = `${org}/settings/budgets`;
    const entries = await count();
    expect((await api.call('DELETE', place)).status).toBe(204);
    expect(await count()).toEqual(entries);
    await api.call('PUT', place, { body: { per_day_usd: 1 } });
    expect((await api.call('DELETE', place)).status).toBe(204);
    expect(await count()).not.toEqual(entries);
  });
});

describe('a PATCH that says what holds already', () => {
  test.each(resources)('changes nothing and leaves no entry: $path', async (resource) => {
    const at = await made(resource);
    const before = await actionsOn(at);
    const first = await api.call('PATCH', at, { body: {} });
    expect(first.status).toBe(200);
    const again = await api.call('PATCH', at, { body: resource.same });
    expect([again.status, again.json]).toEqual([200, first.json]);
    expect(await actionsOn(at)).toEqual(before);
    const changed = await api.call('PATCH', at, { body: resource.other });
    expect(changed.status).toBe(200);
    expect(changed.json).not.toEqual(first.json);
    expect((await actionsOn(at)).length).toBe(before.length + 1);
    await api.call('DELETE', `${at}${resource.path === 'sessions' ? '?force=true' : ''}`);
  });

  test.each<[string, () => Promise<string>, object]>([
    ['an organization', async () => org, { name: 'Default', slug: 'default' }],
    [
      'a member',
      async () => `${org}/members/${await join(api, orgId, 'member', 'same@example.com')}`,
      { permission: 'member' },
    ],
    [
      'a git connection',
      async () => {
        const { json } = await api.call('GET', `${org}/git-connections`);
        return `${org}/git-connections/${String(Object(json['items'])[0].id)}`;
      },
      { name: 'Built-in git host' },
    ],
  ])('nor does one of %s', async (_name, place, body) => {
    const at = await place();
    const before = (await api.call('GET', at)).json;
    const count = async () =>
      (await api.ctx.db.pool.query('select count(*)::int as n from audit_entries where action like $1', ['%.update']))
        .rows;
    const entries = await count();
    const { status, json } = await api.call('PATCH', at, { body });
    expect([status, json]).toEqual([200, before]);
    expect(await count()).toEqual(entries);
  });
});

test('settings that are sent again stay as they were', async () => {
  const put = () => api.call('PUT', `${org}/settings/run_tags`, { body: { allowed: ['a', 'b'] } });
  const first = await put();
  expect((await put()).json).toEqual(first.json);
  const { rows } = await api.ctx.db.pool.query("select 1 from audit_entries where resource_id = 'run_tags'");
  expect(rows.length).toBe(1);
});

test('the members that a group has already can replace it without an entry', async () => {
  const ada = await join(api, orgId, 'member', 'replaced@example.com');
  const at = await made({ path: 'groups', create: { name: 'Same' }, same: {}, other: {} });
  const put = (ids: string[]) => api.call('PUT', `${at}/members`, { body: { user_ids: ids } });
  const first = await put([ada]);
  expect((await put([ada, ada])).json).toEqual(first.json);
  expect((await put([])).json['member_count']).toBe(0);
  expect(await actionsOn(at)).toEqual(['group.create', 'group.members_replace', 'group.members_replace']);
});

describe('of several who delete one thing at once', () => {
  const rows: Resource[] = [
    ...resources.filter(({ path }) => path !== 'service-users'),
    { path: 'agents', create: { name: 'A' }, same: {}, other: {} },
    { path: 'apps', create: { name: 'A' }, same: {}, other: {} },
  ];
  test.each(rows)('one did, and one entry says so: $path', async (resource) => {
    const isUnversioned = ['agents', 'apps'].includes(resource.path);
    const at = await (isUnversioned
      ? api
          .call('POST', `/${resource.path}`, { body: resource.create })
          .then(({ json }) => `/${resource.path}/${String(json['id'])}`)
      : made(resource));
    const query = resource.path === 'sessions' ? '?force=true' : '';
    const answers = await Promise.all(Array.from({ length: 6 }, () => api.call('DELETE', `${at}${query}`)));
    const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other);
    expect(statuses).toEqual([204, 404, 404, 404, 404, 404]);
    expect((await actionsOn(at)).filter((action) => action.endsWith('.delete'))).toHaveLength(1);
  });

  test('a service user is disabled once', async () => {
    const { json } = await api.call('POST', `${org}/service-users`, { body: { name: 'Once' } });
    const at = `${org}/service-users/${String(json['id'])}`;
    const answers = await Promise.all(Array.from({ length: 6 }, () => api.call('DELETE', at)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
    expect((await actionsOn(at)).filter((action) => action === 'service_user.disable')).toHaveLength(1);
  });
});

test('If-Match protects every change of a skill, of its settings too', async () => {
  const at = await made({ path: 'skills', create: skill, same: {}, other: {} });
  const patch = (enabled: boolean, revision: number) =>
    api.call('PATCH', at, { body: { enabled }, headers: { 'if-match': `"${revision}"` } });
  const answers = await Promise.all(Array.from({ length: 6 }, () => patch(false, 1)));
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
    200, 412, 412, 412, 412, 412,
  ]);
  expect((await patch(true, 1)).json['error']).toBe('revision_conflict');
  expect((await patch(true, 2)).json).toMatchObject({ enabled: true, revision: 3 });
  const { json } = await api.call('GET', `${at}/revisions`);
  expect(Object(json['items']).map(({ revision }: { revision: number }) => revision)).toEqual([3, 2, 1]);
  expect((await api.call('GET', `${at}/files/SKILL.md`)).json).toMatchObject({ revision: 3 });
});

test('a tool server for some repositories names them, and tells which', async () => {
  const body = { name: 'Some', url: 'https://t.example.com', access: 'repositories' };
  for (const repos of [undefined, []]) {
    const { status, json } = await api.call('POST', `${org}/mcp-servers`, { body: { ...body, repos } });
    expect([status, json['error'], json['message']]).toEqual([
      400,
      'invalid_request',
      expect.stringContaining('body.repos is required for the access "repositories"'),
    ]);
  }
  const { json } = await api.call('POST', `${org}/mcp-servers`, { body: { ...body, repos: ['acme/kept'] } });
  expect(json['repos']).toEqual(['local:acme/kept']);
  const at = `${org}/mcp-servers/${String(json['id'])}`;
  expect((await api.call('GET', at)).json).toEqual(json);
  expect((await api.call('PATCH', at, { body: { repos: [] } })).status).toBe(400);
  expect((await api.call('PATCH', at, { body: { access: 'organization' } })).json['repos']).toEqual([]);
  expect((await api.call('PATCH', at, { body: { access: 'repositories' } })).status).toBe(400);
});

test('numbers at the edge of what the database counts with name nothing', async () => {
  const { json } = await api.call('POST', '/agents', { body: { name: 'Edge' } });
  const blueprint = String(json['id']).replace(/^agt_/, 'bp_');
  for (const version of [2_147_483_646, 2_147_483_647]) {
    const body = { from: { id: blueprint, version }, to: { id: blueprint } };
    const answer = await api.call('POST', `${org}/blueprints/diff`, { body });
    expect([answer.status, answer.json['error']]).toEqual([404, 'blueprint_not_found']);
  }
  // A cursor determines where a list continues, and anybody can write one.
  const list = `${org}/blueprints/${blueprint}/versions`;
  const { end_cursor: cursor } = (await api.call('GET', list)).json;
  const [print]: unknown[] = JSON.parse(Buffer.from(String(cursor), 'base64url').toString());
  for (const position of ['2147483648', '99999999999999999999', 'abc']) {
    const forged = Buffer.from(JSON.stringify([print, position])).toString('base64url');
    const answer = await api.call('GET', `${list}?after=${forged}`);
    expect([answer.status, answer.json['error']]).toEqual([400, 'invalid_cursor']);
  }
});

test('a repository in use is deleted only by force', async () => {
  const { json } = await api.call('POST', `${org}/repositories`, { body: { provider: 'local', repo: 'acme/used' } });
  const id = String(json['id']);
  const at = `${org}/repositories/${id}`;
  const session = await api.call('POST', `${org}/sessions`, {
    body: { prompt: 'x', repositories: [{ repo: 'acme/used' }] },
  });
  await api.ctx.db.pool.query("update sessions set status = 'waiting' where id = $1", [session.json['id']]);
  const refused = await api.call('DELETE', at);
  expect([refused.status, refused.json]).toMatchObject([
    409,
    { error: 'repository_in_use', details: { open_change_requests: 0, live_sessions: 1 } },
  ]);
  await api.ctx.db.pool.query("update sessions set status = 'suspended' where id = $1", [session.json['id']]);
  await api.ctx.db.pool.query(
    `insert into change_requests (id, org_id, repository_id, number, title, head_ref, head_sha, base_ref, base_sha, author_type, author_id, provider_updated_at)
     values ('cr_used', $1, $2, 1, 't', 'h', '', 'main', '', 'user', 'usr_x', now())`,
    [orgId, id],
  );
  expect((await api.call('DELETE', at)).json).toMatchObject({ details: { open_change_requests: 1, live_sessions: 0 } });
  expect((await api.call('GET', at)).status).toBe(200);
  expect((await api.call('DELETE', `${at}?force=true`)).status).toBe(204);
  expect((await api.call('GET', at)).status).toBe(404);
});
