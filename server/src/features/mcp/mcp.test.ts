import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { answerOf, connect, type McpClient } from '../../../test/support/mcp.ts';
import { join, personalKey } from '../../../test/support/members.ts';
import { sessionIn, start } from '../../../test/support/session-states.ts';
import { newId } from '../../lib/ids.ts';
import { append, finish } from '../sessions/run/run-service.ts';

const sessions = '/v3/organizations/default/sessions';

let api: TestApi;
let second: TestApi;
let orgId: string;
const open: McpClient[] = [];
beforeAll(async () => {
  api = await startTestApi();
  second = await api.another();
  orgId = String((await api.call('GET', '/v3/organizations/default')).json['id']);
});
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});
afterAll(async () => {
  await second.close();
  await api.close();
});

async function use(key = api.adminKey, on = api): Promise<McpClient> {
  const client = await connect(on.url, key);
  open.push(client);
  return client;
}

/** Creates a user with a tool token. */
async function person(permission: 'admin' | 'member' | 'viewer') {
  const id = await join(api, orgId, permission);
  const key = await personalKey(api, orgId, id);
  const { json } = await api.call('POST', '/session/mcp-token', { key });
  return { id, key, token: String(json['token']) };
}

function sessionOf(structured: Record<string, unknown>): Record<string, unknown> {
  return { ...Object(structured['session']) };
}

function post(body: unknown, options: { key?: string; headers?: Record<string, string>; raw?: string } = {}) {
  const { headers = {}, ...rest } = options;
  const accept = { accept: 'application/json, text/event-stream' };
  return api.call('POST', '/mcp', { body, ...rest, headers: { ...accept, ...headers } });
}

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

describe('the server', () => {
  test('says who it is and what its tools are for', async () => {
    const { client } = await use();
    expect(client.getServerVersion()).toMatchObject({ name: 'guildhall' });
    expect(client.getInstructions()).toContain('create_session');
    const { tools } = await client.listTools();
    const kinds = tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint, annotations?.destructiveHint]);
    expect(kinds).toEqual([
      ['create_session', false, false],
      ['send_message', false, false],
      ['cancel_session', false, true],
      ['get_session', true, false],
      ['list_sessions', true, false],
      ['search_knowledge', true, false],
      ['search_code', true, false],
      ['find_symbol', true, false],
      ['read_wiki', true, false],
    ]);
    for (const { name, title, description, inputSchema, outputSchema } of tools) {
      expect([name, title, description]).toEqual([name, expect.stringMatching(/\S/), expect.stringMatching(/\.$/)]);
      expect([name, inputSchema.type, outputSchema?.type]).toEqual([name, 'object', 'object']);
      expect(JSON.stringify([inputSchema, outputSchema])).not.toContain('$ref');
    }
  });

  test('keeps no session: any process answers any message', async () => {
    const started = await (await use()).call('create_session', { prompt: 'Anywhere.' });
    const { id } = sessionOf(started.structured);
    const found = await (await use(api.adminKey, second)).call('get_session', { session_id: id });
    expect(sessionOf(found.structured)['id']).toBe(id);
    expect((await post(ping)).headers.get('mcp-session-id')).toBeNull();
  });

  test('answers POST alone', async () => {
    for (const method of ['GET', 'DELETE']) {
      const answer = await api.call(method, '/mcp', { headers: { accept: 'text/event-stream' } });
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, 'POST']);
    }
  });

  test('takes one message of JSON, of 1 MiB at most', async () => {
    expect((await post(ping)).status).toBe(200);
    expect((await post([ping, ping])).status).toBe(400);
    expect((await post(undefined, { raw: '{"jsonrpc":' })).json['error']).toBe('invalid_json');
    expect((await post({ hello: 'world' })).status).toBe(400);
    expect((await post({ ...ping, params: { filler: 'x'.repeat(1_048_576) } })).status).toBe(413);
    expect((await post(undefined, { raw: 'ping', headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    expect((await post(ping, { headers: { accept: 'application/json' } })).status).toBe(406);
    expect((await post(ping, { headers: { 'mcp-protocol-version': '1999-01-01' } })).status).toBe(400);
    const nul = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'create_session', arguments: {} } };
    const raw = JSON.stringify(nul).replace('{}', '{"prompt":"a\\u0000"}');
    expect((await post(undefined, { raw })).json['error']).toBe('invalid_request');
  });

  test.each([
    ['http://evil.example', 403],
    ['http://localhost.evil.example', 403],
    ['null', 403],
    ['http://localhost:6274', 200],
    ['http://127.0.0.1', 200],
    ['http://[::1]:1', 200],
  ])('a page of %s gets %i', async (origin, status) => {
    expect((await post(ping, { headers: { origin } })).status).toBe(status);
  });

  test('a tool that is none is an error of the protocol', async () => {
    const { client } = await use();
    await expect(client.callTool({ name: 'drop_tables' })).rejects.toThrow('The tool "drop_tables" does not exist.');
  });
});

describe('who may', () => {
  test('nobody without a key: 401 that says how', async () => {
    for (const key of ['', 'guild_none', `guildmcp_${'0'.repeat(48)}`]) {
      const answer = await post(ping, { key });
      expect([answer.status, answer.json['error'], answer.headers.get('www-authenticate')]).toEqual([
        401,
        'unauthorized',
        'Bearer',
      ]);
    }
  });

  test('a person with a tool token, as themselves, and it is noted', async () => {
    const { id, key, token } = await person('member');
    const { structured } = await (await use(token)).call('create_session', { prompt: 'Mine.' });
    expect(sessionOf(structured)).toMatchObject({ created_by: { type: 'user', id }, origin: 'mcp' });
    const { rows } = await api.ctx.db.pool.query<object>(
      "select action, actor_type, user_agent <> '' as told from audit_entries where resource_id = $1",
      [sessionOf(structured)['id']],
    );
    expect(rows).toEqual([{ action: 'session.create', actor_type: 'user', told: true }]);
    await expect
      .poll(async () => (await api.call('GET', '/session/mcp-token', { key })).json['last_used_at'], {
        timeout: 10_000,
      })
      .not.toBeNull();
  });

  test('an app and a service user with an API key of theirs, within its scopes', async () => {
    const machine = await use(await api.keyWith(['sessions:read']));
    expect((await machine.call('list_sessions')).error).toBe('');
    for (const [name, input, scope] of [
      ['create_session', { prompt: 'x' }, 'run'],
      ['send_message', { session_id: 'ses_none', content: 'x' }, 'run'],
      ['cancel_session', { session_id: 'ses_none' }, 'run'],
      ['search_knowledge', { query: 'x' }, 'knowledge:read'],
    ] as const) {
      const { error, message } = await machine.call(name, input);
      expect([name, error]).toEqual([name, 'forbidden']);
      expect(message).toContain(scope);
    }
    const blind = await use(await api.keyWith(['run']));
    for (const name of ['list_sessions', 'get_session'])
      expect((await blind.call(name, name === 'get_session' ? { session_id: 'ses_none' } : {})).error).toBe(
        'forbidden',
      );
  });

  test('a viewer reads, and changes nothing, and what was refused is on record', async () => {
    const { id: viewerId, token } = await person('viewer');
    const viewer = await use(token);
    expect((await viewer.call('list_sessions')).error).toBe('');
    expect((await viewer.call('create_session', { prompt: 'x' })).error).toBe('forbidden');
    const { id } = await sessionIn(api, 'queued');
    expect((await viewer.call('cancel_session', { session_id: id })).error).toBe('forbidden');
    expect((await viewer.call('get_session', { session_id: id })).error).toBe('');
    const denials = async (): Promise<unknown[]> => {
      const { rows } = await api.ctx.db.pool.query(
        "select 1 from audit_entries where actor_id = $1 and outcome = 'denied' union all select 1 from audit_refusals where actor_id = $1",
        [viewerId],
      );
      return rows;
    };
    await expect.poll(denials, { timeout: 10_000 }).not.toEqual([]);
  });

  test('a token may no more than the key that asked for it', async () => {
    const { json } = await api.call('POST', '/v3/self/keys', { body: { name: 'reads', scopes: ['sessions:read'] } });
    const issued = await api.call('POST', '/session/mcp-token', { key: String(json['key']) });
    const client = await use(String(issued.json['token']));
    expect((await client.call('list_sessions')).error).toBe('');
    expect((await client.call('create_session', { prompt: 'x' })).error).toBe('forbidden');
  });

  test("another organization's sessions are none", async () => {
    const { id } = await sessionIn(api, 'queued');
    const other = await api.createOrganization('Elsewhere');
    const client = await use(other.key);
    for (const [name, input] of [
      ['get_session', {}],
      ['get_session', { wait_seconds: 1 }],
      ['send_message', { content: 'x' }],
      ['cancel_session', {}],
    ] as const) {
      const theirs = await client.call(name, { session_id: id, ...input });
      const nobodys = await client.call(name, { session_id: newId('ses'), ...input });
      expect([name, theirs.error, nobodys.error]).toEqual([name, 'session_not_found', 'session_not_found']);
    }
    expect((await client.call('list_sessions')).structured['total']).toBe(0);
  });

  test('a token that is revoked in the middle opens nothing more, on any process', async () => {
    const { key, token } = await person('member');
    const [here, there] = [await use(token), await use(token, second)];
    expect((await here.call('list_sessions')).error).toBe('');
    await api.call('DELETE', '/session/mcp-token', { key });
    await expect(here.call('list_sessions')).rejects.toMatchObject({ code: 401 });
    await expect(there.call('list_sessions')).rejects.toMatchObject({ code: 401 });
  });

  test('from outside the IP access list nobody', async () => {
    const other = await api.createOrganization('Fenced');
    const list = `/v3/organizations/${other.slug}/ip-access-list`;
    const body = { enabled: true, entries: [{ cidr: '192.0.2.0/24', note: '' }], force: true };
    expect((await api.call('PUT', list, { key: other.key, body })).status).toBe(200);
    const answer = await post(ping, { key: other.key });
    expect([answer.status, answer.json['error']]).toEqual([403, 'ip_not_allowed']);
  });
});

describe('create_session, send_message, cancel_session', () => {
  test('do what the API does', async () => {
    const client = await use();
    const created = await client.call('create_session', {
      prompt: 'Fix the build.',
      title: 'The build',
      tags: ['ci'],
      mode: 'plan',
      budget: { max_turns: 3 },
    });
    const { id } = sessionOf(created.structured);
    expect(created.text).toContain(`Session ${String(id)} is queued: The build`);
    const record = await api.call('GET', `${sessions}/${String(id)}`);
    expect(record.json).toMatchObject({ prompt: 'Fix the build.', tags: ['ci'], mode: 'plan', origin: 'mcp' });
    expect(record.json['budget']).toMatchObject({ max_turns: 3 });

    const wrong = { prompt: 'x', structured_output_schema: { type: 'nonsense' } };
    expect(await client.call('create_session', wrong)).toMatchObject({
      error: 'invalid_request',
      message: expect.stringContaining('structured_output_schema.type must be one of'),
    });
    const asked = await client.call('create_session', { prompt: 'x', structured_output_schema: { type: 'object' } });
    const shown = await client.call('get_session', { session_id: sessionOf(asked.structured)['id'] });
    expect(Object(shown.structured).structured_output).toBeNull();

    const sent = await client.call('send_message', { session_id: id, content: 'And the tests.', delivery: 'queue' });
    expect(sent.structured).toEqual({
      message_id: expect.stringMatching(/^msg_/),
      session_id: id,
      delivery: 'queue',
      state: 'queued',
    });
    const messages = await api.call('GET', `${sessions}/${String(id)}/messages`);
    expect(messages.text).toContain('And the tests.');

    for (const _twice of [1, 2]) {
      const canceled = await client.call('cancel_session', { session_id: id });
      expect(sessionOf(canceled.structured)).toMatchObject({ id, status: 'canceled', status_detail: 'user_request' });
    }
    const late = await client.call('send_message', { session_id: id, content: 'Still there?' });
    expect([late.error, late.message]).toEqual(['session_terminal', expect.stringContaining('canceled')]);
  });

  test.each<[string, string, Record<string, unknown>, string, string]>([
    ['no prompt', 'create_session', {}, 'invalid_request', 'arguments.prompt is required.'],
    ['a blank prompt', 'create_session', { prompt: ' ' }, 'prompt_required', 'arguments.prompt must describe the task'],
    [
      'an output without a schema',
      'create_session',
      { prompt: 'x', structured_output_required: true },
      'invalid_request',
      'arguments.structured_output_schema is required if',
    ],
    [
      'a mode that is none',
      'create_session',
      { prompt: 'x', mode: 'yolo' },
      'invalid_request',
      'arguments.mode must be one of build, plan, ask, and is "yolo"',
    ],
    [
      'a repository that is a name',
      'create_session',
      { prompt: 'x', repositories: ['acme/app'] },
      'invalid_request',
      'arguments.repositories.0 must be an object, and is "acme/app"',
    ],
    [
      'an unknown key',
      'create_session',
      { prompt: 'x', origin: 'console' },
      'invalid_request',
      'arguments.origin is not a known key, and is "console"',
    ],
    [
      'a repository that is not there',
      'create_session',
      { prompt: 'x', repositories: [{ repo: 'a/b' }] },
      'repository_not_found',
      'a/b',
    ],
    [
      'an agent that is not there',
      'create_session',
      { prompt: 'x', agent_id: 'agt_none' },
      'agent_not_found',
      'agt_none',
    ],
    [
      'a prompt of 100,001 characters',
      'create_session',
      { prompt: 'x'.repeat(100_001) },
      'invalid_request',
      'arguments.prompt',
    ],
    [
      'a wait of 61 seconds',
      'get_session',
      { session_id: 'ses_x', wait_seconds: 61 },
      'invalid_request',
      'arguments.wait_seconds',
    ],
    ['a session that is not there', 'get_session', { session_id: 'ses_none' }, 'session_not_found', 'ses_none'],
    [
      'a blank message',
      'send_message',
      { session_id: 'ses_none', content: ' ' },
      'content_required',
      'arguments.content must',
    ],
    [
      'a status that is none',
      'list_sessions',
      { status: 'asleep' },
      'invalid_request',
      'arguments.status must be one of queued',
    ],
    ["another list's cursor", 'list_sessions', { after: 'eyJ4IjoxfQ' }, 'invalid_cursor', 'cursor'],
  ])('%s: an error of the tool, with code and message', async (_what, name, input, error, message) => {
    const answer = await (await use()).call(name, input);
    expect(answer.error).toBe(error);
    expect(answer.message).toContain(message);
  });
});

describe('get_session', () => {
  test('answers what the agent said last', async () => {
    const { id } = await sessionIn(api, 'queued', { title: 'Talk' });
    const run = await start(api, id);
    const says = (message_id: string, delta: string, done: boolean) =>
      ({ kind: 'message', data: { message_id, role: 'agent', delta, done, state: 'delivered' } }) as const;
    const client = await use();
    expect((await client.call('get_session', { session_id: id })).structured['reply']).toBe('');
    await append(api.ctx, run, [says('m1', 'First.', true), says('m2', 'It is ', false), says('m2', 'done.', true)]);
    const { structured, text } = await client.call('get_session', { session_id: id });
    expect(structured['reply']).toBe('It is done.');
    expect(text).toMatch(/Session ses_\w+ is running \/ working: Talk\n[^]*It is done\.$/);
  });

  test('waits until there is nothing more to do, and says how it stands meanwhile', async () => {
    const { id } = await sessionIn(api, 'queued');
    const { client } = await use();
    const told: string[] = [];
    let tell: () => void = () => undefined;
    const working = new Promise<void>((resolve) => (tell = resolve));
    const answer = client.callTool(
      { name: 'get_session', arguments: { session_id: id, wait_seconds: 60 } },
      undefined,
      {
        onprogress: ({ message = '', progress, total }) => {
          told.push(message);
          expect(progress).toBeLessThan(60);
          expect(total).toBe(60);
          tell();
        },
      },
    );
    await working;
    const run = await start(api, id);
    await finish(api.ctx, run, {
      status: 'completed',
      status_detail: 'finished',
      sandbox_state: 'none',
      sandboxSeconds: 1,
    });
    expect(sessionOf(answerOf(await answer).structured)['status']).toBe('completed');
    expect(told[0]).toBe('queued');
  });

  test('answers at once when there is nothing to wait for, and in time when there is', async () => {
    const client = await use();
    const done = await sessionIn(api, 'completed');
    const from = performance.now();
    await client.call('get_session', { session_id: done.id, wait_seconds: 60 });
    expect(performance.now() - from).toBeLessThan(10_000);
    const { id } = await sessionIn(api, 'queued');
    const still = await client.call('get_session', { session_id: id, wait_seconds: 1 });
    expect(sessionOf(still.structured)['status']).toBe('queued');
  });

  test('stops waiting when the token is revoked, or the session is deleted', async () => {
    const { key, token } = await person('member');
    /** Resolves once the server waits. */
    const waits = async (by: string, id: string) => {
      const { client } = await use(by);
      let tell: () => void = () => undefined;
      const waiting = new Promise<void>((resolve) => (tell = resolve));
      const params = { name: 'get_session', arguments: { session_id: id, wait_seconds: 60 } };
      const answer = client.callTool(params, undefined, { onprogress: () => tell() }).then(answerOf);
      await waiting;
      return { answer };
    };
    const [one, other] = [await sessionIn(api, 'queued'), await sessionIn(api, 'queued')];
    const [cut, gone] = [await waits(token, one.id), await waits(api.adminKey, other.id)];
    await api.call('DELETE', '/session/mcp-token', { key });
    expect((await cut.answer).error).toBe('key_revoked');
    await api.call('DELETE', `${other.path}?force=true`);
    expect((await gone.answer).error).toBe('session_not_found');
  });
});

describe('list_sessions', () => {
  test('pages, newest first, and filters', async () => {
    const tag = `t${newId('req')}`;
    for (const title of ['one', 'two', 'three']) await sessionIn(api, 'queued', { title, tags: [tag] });
    const client = await use();
    const page = await client.call('list_sessions', { tag, first: 2 });
    const titlesOf = (structured: Record<string, unknown>): unknown[] =>
      Object(structured['sessions']).map((session: object) => Object(session).title);
    expect([titlesOf(page.structured), page.structured['total']]).toEqual([['three', 'two'], 3]);
    const rest = await client.call('list_sessions', { tag, first: 2, after: page.structured['end_cursor'] });
    expect([titlesOf(rest.structured), rest.structured['has_next_page']]).toEqual([['one'], false]);
    expect((await client.call('list_sessions', { tag, status: 'completed' })).structured['total']).toBe(0);
    expect(page.text).toContain('2 of 3 sessions.');
  });
});

describe('search_knowledge', () => {
  const note = async (fields: Record<string, unknown>): Promise<string> => {
    const id = newId('note');
    const row = { id, org_id: orgId, name: 'n', trigger: 't', body: 'b', created_by_type: 'user', ...fields };
    const names = Object.keys({ ...row, created_by_id: '' });
    await api.ctx.db.pool.query(
      `insert into knowledge_notes (${names.join(', ')}) values (${names.map((_, at) => `$${at + 1}`).join(', ')})`,
      [...Object.values(row), 'usr_x'],
    );
    return id;
  };
  const search = async (client: McpClient, input: Record<string, unknown>): Promise<unknown[]> => {
    const { structured } = await client.call('search_knowledge', input);
    return Object(structured['notes']).map((found: object) => Object(found).note_id);
  };

  test('finds notes by their words, best first', async () => {
    const other = await note({ name: 'Other', trigger: 'Before we deploy', body: 'Not on Fridays.' });
    const named = await note({ name: 'Deploying', trigger: 'When you deploy', body: 'Use the pipeline.' });
    await note({ name: 'Deploying, once', enabled: false });
    const client = await use();
    expect(await search(client, { query: 'how do we deploy to production?' })).toEqual([named, other]);
    const { structured, text } = await client.call('search_knowledge', { query: 'deployment', limit: 1 });
    expect(structured).toMatchObject({ notes: [{ name: 'Deploying', scope: 'organization' }], total: 2 });
    expect(text).toContain('Use the pipeline.');
    const none = await client.call('search_knowledge', { query: 'kubernetes & "quoted" | (' });
    expect([none.structured['total'], none.text]).toEqual([0, 'No note matches.']);
  });

  test("only what applies to the repository, and nobody else's own", async () => {
    const { id, token } = await person('member');
    const everywhere = await note({ name: 'Zebra' });
    const some = await note({ name: 'Zebra', repo_filter: 'github:acme/web_app, other/*' });
    const own = await note({ name: 'Zebra', scope: 'user', user_id: id });
    const member = await use(token);
    expect(new Set(await search(member, { query: 'zebra' }))).toEqual(new Set([everywhere, some, own]));
    expect(new Set(await search(member, { query: 'zebra', repo: 'Acme/web_app' }))).toEqual(
      new Set([everywhere, some, own]),
    );
    expect(new Set(await search(member, { query: 'zebra', repo: 'other/x' }))).toEqual(
      new Set([everywhere, some, own]),
    );
    expect(new Set(await search(member, { query: 'zebra', repo: 'acme/webxapp' }))).toEqual(new Set([everywhere, own]));
    expect(new Set(await search(await use(), { query: 'zebra' }))).toEqual(new Set([everywhere, some]));
    const other = await api.createOrganization('Nowhere');
    expect(await search(await use(other.key), { query: 'zebra' })).toEqual([]);
  });
});
