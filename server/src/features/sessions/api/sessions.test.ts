import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../../test/support/api.ts';
import { sessionIn, states, take } from '../../../../test/support/session-states.ts';
import { removeWorker, recordWorker } from '../run/worker-service.ts';

let api: TestApi;
let userId: string;
let orgId: string;
beforeAll(async () => {
  api = await startTestApi();
  const self = await api.call('GET', '/v3/self');
  userId = String(self.json['principal_id']);
  orgId = /org_\w+/.exec(self.text)?.[0] ?? '';
  for (let index = 0; index < 11; index += 1)
    await api.call('POST', '/v3/organizations/default/repositories', {
      body: { provider: 'local', repo: `acme/project-${index}` },
    });
});
afterAll(() => api.close());

const sessions = '/v3/organizations/default/sessions';

function create(body: object, key = api.adminKey): Promise<Answer> {
  return api.call('POST', sessions, { body, key });
}

function expectError({ status, json }: Answer, expected: number, error: string): void {
  expect([status, json['error']]).toEqual([expected, error]);
}

async function ids(query: string): Promise<unknown[]> {
  const { status, json } = await api.call('GET', `${sessions}?${query}`);
  expect(status).toBe(200);
  return Array.isArray(json['items']) ? json['items'].map((item: unknown) => Object(item).id) : [];
}

function many(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `t${index}`);
}

describe('creating one', () => {
  test('the prompt is enough, and a read has every documented key', async () => {
    const { status, json } = await create({ prompt: 'Fix the build\nplease' });
    expect(status).toBe(201);
    const id = String(json['id']);
    expect(json).toEqual({
      id: expect.stringMatching(/^ses_/),
      url: `${api.url}/console/default/sessions/${id}`,
      title: 'Fix the build',
      prompt: 'Fix the build\nplease',
      status: 'queued',
      status_detail: '',
      sandbox_state: 'none',
      attention: '',
      activity: { text: '', at: json['created_at'] },
      unread: false,
      phases: [],
      agent_id: expect.stringMatching(/^agt_/),
      model: '',
      mode: 'build',
      repositories: [],
      change_requests: [],
      tags: [],
      metadata: {},
      origin: 'api',
      created_by: { type: 'user', id: userId, name: 'Administrator' },
      automation_id: '',
      automation_run_id: '',
      parent_session_id: '',
      forked_from: '',
      structured_output: null,
      budget: {},
      usage: { input_tokens: 0, output_tokens: 0, cached_input_tokens: 0, cost_usd: 0, sandbox_seconds: 0 },
      attempt_no: 0,
      error: null,
      verify_command: '',
      verification: '',
      deliver: 'none',
      memory_enabled: true,
      sandbox: {},
      last_seq: 3,
      archived: false,
      created_at: expect.stringMatching(/\.\d{3}Z$/),
      updated_at: expect.stringMatching(/\.\d{3}Z$/),
      started_at: null,
      working_since: null,
      ended_at: null,
    });
    expect((await api.call('GET', `${sessions}/${id}`)).json).toEqual(json);
  });

  test('takes all there is to say', async () => {
    const body = {
      prompt: 'x',
      repositories: [{ provider: 'local', repo: 'ACME/project-1', ref: 'next' }, { repo: 'acme/project-2' }],
      model: 'anthropic/m',
      mode: 'plan',
      require_plan_approval: true,
      verify_command: 'make check',
      deliver: 'draft',
      tags: ['a', 'b'],
      metadata: { ticket: 'X-1', points: 3, urgent: true, parent: null },
      knowledge_ids: null,
      secret_ids: [],
      skill_ids: null,
      mcp_server_ids: [],
      session_secrets: [],
      attachment_ids: [],
      structured_output_schema: { type: 'object' },
      structured_output_required: true,
      budget: { max_cost_usd: 1.5, max_tokens: 10, max_minutes: 0.5, max_turns: 3 },
      memory_enabled: false,
      title: 'Mine',
    };
    const { status, json } = await create(body);
    expect(status).toBe(201);
    for (const field of ['model', 'mode', 'verify_command', 'deliver', 'tags', 'metadata', 'budget', 'title'] as const)
      expect(json[field]).toEqual(body[field]);
    expect(json).toMatchObject({
      memory_enabled: false,
      repositories: [
        { provider: 'local', repo: 'acme/project-1', base_ref: 'next', base_commit: '', branch: '' },
        { provider: 'local', repo: 'acme/project-2', base_ref: 'main', base_commit: '', branch: '' },
      ],
    });
  });

  const repositories = (count: number) => many(count).map((_, index) => ({ repo: `acme/project-${index}` }));
  const metadata = (count: number) => Object.fromEntries(many(count).map((key) => [key, 'x']));
  const schema = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });
  test.each([
    ['prompt', { prompt: '😀'.repeat(100_000) }, { prompt: 'x'.repeat(100_001) }],
    ['tags', { tags: many(50) }, { tags: many(51) }],
    ['metadata', { metadata: metadata(20) }, { metadata: metadata(21) }],
    ['repositories', { repositories: repositories(10) }, { repositories: repositories(11) }],
    [
      'structured_output_schema',
      { structured_output_schema: schema(65_536) },
      { structured_output_schema: schema(65_537) },
    ],
    ['max_turns', { budget: { max_turns: 1 } }, { budget: { max_turns: 0 } }],
    ['max_cost_usd', { budget: { max_cost_usd: 0.01 } }, { budget: { max_cost_usd: 0 } }],
    ['title', { title: 'x'.repeat(500) }, { title: 'x'.repeat(501) }],
  ])('%s: the limit is taken, one more is 400', async (_name, least, most) => {
    expect((await create({ prompt: 'x', ...least })).status).toBe(201);
    expectError(await create({ prompt: 'x', ...most }), 400, 'invalid_request');
  });

  test.each([
    ['', { structured_output_required: true }],
    ['.type', { structured_output_schema: { type: 'nonsense' } }],
    ['.items.$ref', { structured_output_schema: { items: { $ref: 'https://example.com/x.json' } } }],
    ['', { structured_output_schema: { $ref: '#' } }],
  ])('structured_output_schema%s: what can be no output is 400, and names the place', async (place, more) => {
    const answer = await create({ prompt: 'x', ...more });
    expectError(answer, 400, 'invalid_request');
    expect(answer.json['message']).toContain(`body.structured_output_schema${place} `);
  });

  test.each([
    ['no prompt', {}, 400, 'prompt_required'],
    ['an empty one', { prompt: '' }, 400, 'prompt_required'],
    ['a blank one', { prompt: ' \n\t' }, 400, 'prompt_required'],
    ['one that shows nothing', { prompt: '\u200b\u2060' }, 400, 'prompt_required'],
    ['a title that shows nothing', { prompt: 'x', title: '\u200b\ufeff\u2060' }, 400, 'invalid_request'],
    ['a tag with a comma', { prompt: 'x', tags: ['a,b'] }, 400, 'invalid_request'],
    ['an empty title', { prompt: 'x', title: '' }, 400, 'invalid_request'],
    ['a blank one', { prompt: 'x', title: ' \u00a0\t' }, 400, 'invalid_request'],
    ['a blank verify_command', { prompt: 'x', verify_command: ' \n' }, 400, 'invalid_request'],
    ['null', { prompt: null }, 400, 'invalid_request'],
    ['a number', { prompt: 7 }, 400, 'invalid_request'],
    ['an unknown key', { prompt: 'x', promt: 'y' }, 400, 'invalid_request'],
    [
      'an unknown key of a repository',
      { prompt: 'x', repositories: [{ repo: 'a/b', rev: 'x' }] },
      400,
      'invalid_request',
    ],
    [
      'a repository twice',
      { prompt: 'x', repositories: [{ repo: 'acme/project-1' }, { repo: 'Acme/Project-1' }] },
      400,
      'invalid_request',
    ],
    ['an unknown mode', { prompt: 'x', mode: 'fast' }, 400, 'invalid_request'],
    ['an unknown repository', { prompt: 'x', repositories: [{ repo: 'acme/none' }] }, 404, 'repository_not_found'],
    [
      'one of another provider',
      { prompt: 'x', repositories: [{ provider: 'github', repo: 'acme/project-1' }] },
      404,
      'repository_not_found',
    ],
    ['an unknown agent', { prompt: 'x', agent_id: 'agt_none' }, 404, 'agent_not_found'],
    ['an unknown attachment', { prompt: 'x', attachment_ids: ['att_none'] }, 404, 'attachment_not_found'],
    ['an unknown note', { prompt: 'x', knowledge_ids: ['note_none'] }, 404, 'knowledge_note_not_found'],
    ['an unknown skill', { prompt: 'x', skill_ids: ['skl_none'] }, 404, 'skill_not_found'],
    ['an unknown secret', { prompt: 'x', secret_ids: ['sec_none'] }, 404, 'secret_not_found'],
    ['an unknown server', { prompt: 'x', mcp_server_ids: ['mcp_none'] }, 404, 'mcp_server_not_found'],
  ])('%s is refused, and nothing is left', async (_name, body, status, error) => {
    const before = (await api.call('GET', `${sessions}?first=1`)).json['total'];
    expectError(await create(body), status, error);
    expect((await api.call('GET', `${sessions}?first=1`)).json['total']).toBe(before);
  });

  test('a session has its job, its prompt as a message, and its events, all from one transaction', async () => {
    const { json } = await create({ prompt: 'whole' });
    const id = String(json['id']);
    const { rows } = await api.ctx.db.pool.query<{ whole: boolean }>(
      `select s.xmin = m.xmin and s.xmin = e.xmin and s.xmin = a.xmin as whole from sessions s
       join session_messages m on m.session_id = s.id join session_events e on e.session_id = s.id and e.kind = 'message'
       join audit_entries a on a.resource_id = s.id where s.id = $1`,
      [id],
    );
    expect(rows).toEqual([{ whole: true }]);
    const messages = await api.call('GET', `${sessions}/${id}/messages`);
    expect(messages.json).toMatchObject({ total: 1, items: [{ role: 'user', content: 'whole', state: 'queued' }] });
    const events = await api.call('GET', `${sessions}/${id}/events`);
    expect(events.json).toMatchObject({
      items: [
        { seq: 1, kind: 'status', data: { status: 'queued', status_detail: '', sandbox_state: 'none' } },
        { seq: 2, kind: 'message', data: { role: 'user', delta: 'whole', done: true } },
        { seq: 3, kind: 'warning', data: { code: 'no_repository' } },
      ],
    });
  });

  test('the repository remembers when it was last worked on', async () => {
    await create({ prompt: 'x', repositories: [{ repo: 'acme/project-7' }] });
    const found = async () =>
      (await api.call('GET', '/v3/organizations/default/repositories?search=project-7')).json['items'];
    await expect.poll(found, { timeout: 10_000 }).toMatchObject([{ last_session_at: expect.stringMatching(/Z$/) }]);
  });
});

describe('listing', () => {
  test('every filter, one value or several, combined with and', async () => {
    const machine = await api.keyWith(['run', 'sessions:read']);
    const machineId = String((await api.call('GET', '/v3/self', { key: machine })).json['principal_id']);
    const make = async (body: object, key?: string) => String((await create(body, key)).json['id']);
    const from = new Date().toISOString();
    const one = await make({
      prompt: 'Find the 100% needle',
      tags: ['f1', 'red'],
      repositories: [{ repo: 'acme/project-10' }],
    });
    const two = await make({ prompt: 'hay', title: 'A_needle', tags: ['f1', 'blue'] }, machine);
    const three = (await sessionIn(api, 'completed', { prompt: 'straw', tags: ['f1'] })).id;
    await api.call('POST', `${sessions}/${three}/archive`);
    const between = String((await api.call('GET', `${sessions}/${two}`)).json['created_at']);
    const rows: [string, string[]][] = [
      ['tag=f1', [two, one]],
      ['tag=f1&archived=any', [three, two, one]],
      ['tag=f1&archived=true', [three]],
      ['tag=f1&archived=false', [two, one]],
      ['tag=red,blue', [two, one]],
      ['tag=f1&status=queued', [two, one]],
      ['tag=f1&status=completed,failed&archived=any', [three]],
      ['tag=f1&status_detail=finished&archived=any', [three]],
      ['tag=f1&origin=api', [two, one]],
      ['tag=f1&origin=console,cli', []],
      ['repo=ACME/project-10', [one]],
      ['repo=local:acme/project-10,acme/none&tag=f1', [one]],
      ['repo=github:acme/project-10', []],
      [`created_by=${machineId}`, [two]],
      [`created_by=${machineId},${userId}&tag=f1`, [two, one]],
      ['tag=f1&automation_id=aut_x', []],
      ['tag=f1&automation_run_id=run_x', []],
      ['tag=f1&parent_session_id=ses_x', []],
      [`tag=f1&created_after=${from}`, [two, one]],
      [`tag=f1&created_before=${between}`, [one]],
      [`tag=f1&created_before=${from}`, []],
      ['tag=f1&search=NEEDLE', [two, one]],
      ['search=100%25', [one]],
      ['tag=f1&search=a_needle', [two]],
      ['tag=f1&search=_', [two]],
    ];
    for (const [query, expected] of rows) expect([query, await ids(query)]).toEqual([query, expected]);
  });

  test.each([
    'tag=a&tag=b',
    'status=done',
    'origin=x',
    'archived=yes',
    'created_after=yesterday',
    'tag=',
    'tag=a,,b',
    'search=',
    'nme=x',
  ])('%s is 400', async (query) => expectError(await api.call('GET', `${sessions}?${query}`), 400, 'invalid_request'));

  test('an organization without sessions has 0 of them, as a number', async () => {
    const { slug, key } = await api.createOrganization('Empty');
    expect((await api.call('GET', `/v3/organizations/${slug}/sessions`, { key })).json).toEqual({
      items: [],
      end_cursor: '',
      has_next_page: false,
      total: 0,
    });
  });

  test('the plain list hides archived sessions and counts the others', async () => {
    const { id, path } = await sessionIn(api, 'completed');
    const total = async () => Number((await api.call('GET', `${sessions}?first=1`)).json['total']);
    const before = await total();
    await api.call('POST', `${path}/archive`);
    expect([await total(), (await ids('first=200')).includes(id)]).toEqual([before - 1, false]);
    await api.call('POST', `${path}/unarchive`);
    expect(await total()).toBe(before);
    await api.call('DELETE', path);
    expect(await total()).toBe(before - 1);
  });
});

describe('changing and deleting', () => {
  test('PATCH changes what it names and nothing else', async () => {
    const { path } = await sessionIn(api, 'queued', { tags: ['\u001ba'], metadata: { a: 'b' }, title: 'Old' });
    const { json } = await api.call('PATCH', path, { body: { title: ' New ' } });
    expect(json).toMatchObject({ title: 'New', tags: ['a'], metadata: { a: 'b' } });
    const body = { tags: [], metadata: {}, budget: { max_turns: 2 } };
    expect((await api.call('PATCH', path, { body })).json).toMatchObject({ title: 'New', ...body });
    for (const wrong of [
      { title: '' },
      { title: '  ' },
      { prompt: 'x' },
      { tags: null },
      { tags: many(51) },
      { status: 'completed' },
    ])
      expectError(await api.call('PATCH', path, { body: wrong }), 400, 'invalid_request');
  });

  test.each(states)('DELETE of one that is %s', async (state) => {
    const { path } = await sessionIn(api, state);
    if (['queued', 'provisioning', 'running', 'waiting'].includes(state)) {
      expectError(await api.call('DELETE', path), 409, 'session_active');
      expectError(await api.call('DELETE', `${path}?force=false`), 409, 'session_active');
      expect((await api.call('DELETE', `${path}?force=true`)).status).toBe(204);
    } else expect((await api.call('DELETE', path)).status).toBe(204);
    for (const rest of ['', '/messages', '/events', '/usage'])
      expectError(await api.call('GET', `${path}${rest}`), 404, 'session_not_found');
    expectError(await api.call('DELETE', path), 404, 'session_not_found');
  });

  test('takes its blobs along', async () => {
    const { id, path } = await sessionIn(api, 'completed');
    const keys = ['checkpoints', 'artifacts'].map((kind) => `${kind}/${orgId}/${id}/a`);
    for (const key of keys) await api.ctx.blobs.put(key, Buffer.from('x'));
    await api.call('DELETE', path);
    for (const key of keys) expect(await api.ctx.blobs.head(key)).toBeUndefined();
  });
});

const record = `insert into usage_records (id, session_id, org_id, model, input_tokens, output_tokens, cached_input_tokens,
  cache_write_tokens, cost_usd, price_source, principal_type, principal_id, origin, repository, provider)`;

test('usage is shown in all and by model', async () => {
  const { id, path } = await sessionIn(api, 'queued');
  const none = { input_tokens: 0, output_tokens: 0, cached_input_tokens: 0, cost_usd: 0 };
  expect((await api.call('GET', `${path}/usage`)).json).toEqual({ ...none, sandbox_seconds: 0, by_model: [] });
  const call = { input_tokens: 10, output_tokens: 2, cached_input_tokens: 5, cost_usd: 0.25 };
  await api.ctx.db.pool.query(
    `${record} select 'use_' || n, $1, $2, model, input, output, cached, 0, cost, 'none', 'user', 'usr_1', 'api', '', ''
     from (values (1, 'b', 10, 2, 5, 0.3), (2, 'a', 10, 2, 5, 0.25), (3, 'b', 10, 2, 5, 0.2)) v (n, model, input, output, cached, cost)`,
    [id, orgId],
  );
  await api.ctx.db.pool.query(
    `update sessions set input_tokens = 30, output_tokens = 6, cached_input_tokens = 15, cost_usd = 0.75 where id = $1`,
    [id],
  );
  const all = { input_tokens: 30, output_tokens: 6, cached_input_tokens: 15, cost_usd: 0.75, sandbox_seconds: 0 };
  expect((await api.call('GET', `${path}/usage`)).json).toEqual({
    ...all,
    by_model: [
      { model: 'a', ...call },
      { model: 'b', input_tokens: 20, output_tokens: 4, cached_input_tokens: 10, cost_usd: 0.5 },
    ],
  });
  expect((await api.call('GET', path)).json['usage']).toEqual(all);
});

test('dollars and seconds are rounded to what they mean, wherever they are shown', async () => {
  const { id, path } = await sessionIn(api, 'queued');
  await api.ctx.db.pool.query('update sessions set cost_usd = $2, sandbox_seconds = $3 where id = $1', [
    id,
    0.012567000000000002,
    225.810513952,
  ]);
  await api.ctx.db.pool.query(
    `${record} values ('use_4', $1, $2, 'a', 10, 2, 5, 0, $3, 'none', 'user', 'usr_1', 'api', '', '')`,
    [id, orgId, 0.1 + 0.2],
  );
  const rounded = { cost_usd: 0.012567, sandbox_seconds: 225.811 };
  expect((await api.call('GET', path)).json['usage']).toMatchObject(rounded);
  const usage = await api.call('GET', `${path}/usage`);
  expect(usage.json).toMatchObject({ ...rounded, by_model: [{ cost_usd: 0.3 }] });
});

test('one that names no repository is warned of it; an empty list means what it says', async () => {
  const warnings = async (body: object): Promise<unknown[]> => {
    const { json } = await api.call('POST', sessions, { body: { prompt: 'x', ...body } });
    const events = await api.call('GET', `${sessions}/${String(json['id'])}/events`);
    const items: { kind: string; data: Record<string, unknown> }[] = Object(events.json['items']);
    return items.flatMap(({ kind, data }) => (kind === 'warning' ? [data['code']] : []));
  };
  expect(await warnings({})).toEqual(['no_repository']);
  expect(await warnings({ repositories: [] })).toEqual([]);
});

test('the queue says how many wait, for how long, and for how many workers', async () => {
  await api.ctx.db.pool.query(`delete from sessions`);
  const queue = async () => (await api.call('GET', `${sessions}/queue`)).json;
  expect(await queue()).toEqual({ size: 0, oldest_age_seconds: null, workers: 0, free_slots: 0 });
  const { id } = await sessionIn(api, 'queued');
  await sessionIn(api, 'queued');
  // A claimed session no longer waits and occupies a slot, whatever the worker's last heartbeat said.
  await take(api, (await sessionIn(api, 'queued')).id, 'w1');
  await api.ctx.db.pool.query(`update sessions set created_at = now() - interval '90 seconds' where id = $1`, [id]);
  const worker = { host: 'h', sandbox: {}, problem: '' };
  await recordWorker(api.ctx, { ...worker, id: 'w1', slots: 4, busy: 0, draining: false });
  await recordWorker(api.ctx, { ...worker, id: 'w2', slots: 4, busy: 0, draining: true });
  await recordWorker(api.ctx, { ...worker, id: 'w3', slots: 4, busy: 0, draining: false });
  await api.ctx.db.pool.query(`update workers set seen_at = now() - interval '16 seconds' where id = 'w3'`);
  const { oldest_age_seconds: age, ...rest } = await queue();
  expect(rest).toEqual({ size: 2, workers: 2, free_slots: 3 });
  expect(Number(age)).toBeGreaterThanOrEqual(90);
  expect(Number(age)).toBeLessThan(120);
  await removeWorker(api.ctx, 'w1');
  expect(await queue()).toMatchObject({ workers: 1, free_slots: 0 });
  const other = await api.createOrganization('Elsewhere');
  const theirs = await api.call('GET', `/v3/organizations/${other.slug}/sessions/queue`, { key: other.key });
  expect(theirs.json).toMatchObject({ size: 0, oldest_age_seconds: null });
});

test('reads take sessions:read, writes run', async () => {
  const { path } = await sessionIn(api, 'completed');
  const [reader, runner] = [await api.keyWith(['sessions:read']), await api.keyWith(['run'])];
  const reads = [
    '',
    '/messages',
    '/events',
    '/events/stream',
    '/usage',
    '/diff',
    '/patch',
    '/change-requests',
    '/artifacts',
  ];
  for (const rest of reads) expectError(await api.call('GET', `${path}${rest}`, { key: runner }), 403, 'forbidden');
  for (const rest of reads.filter((name) => name !== '/events/stream'))
    expect((await api.call('GET', `${path}${rest}`, { key: reader })).status).toBe(200);
  for (const rest of ['/messages', '/interrupt', '/cancel', '/archive', '/unarchive', '/change-requests'])
    expectError(await api.call('POST', `${path}${rest}`, { key: reader }), 403, 'forbidden');
  for (const method of ['PATCH', 'DELETE'])
    expectError(await api.call(method, path, { key: reader }), 403, 'forbidden');
});
