import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { startPeer, type Peer } from '../../../test/support/gateway.ts';
import {
  everything,
  listed,
  says,
  startEverything,
  startToolServer,
  withEverything,
} from '../../../test/support/tool-servers.ts';
import { startTestWorker, type TestWorker } from '../../../test/support/worker.ts';
import { serverManifests } from './public.ts';

const path = '/v3/organizations/default/mcp-servers';
const token = 'tok-91d2e07c-of-a-tool-server';

let api: TestApi;
let elsewhere: { id: string; slug: string; key: string };
beforeAll(async () => {
  api = await startTestApi({ GUILDHALL_EGRESS_ALLOW: 'mcp=127.0.0.0/8' });
  elsewhere = await api.createOrganization('Elsewhere');
});
afterAll(() => api.close());

function post(body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return api.call('POST', path, { body, headers });
}

async function create(body: object): Promise<Record<string, unknown>> {
  const answer = await post(body);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.json;
}

const set = (id: unknown, name: string, value: unknown, key = api.adminKey): Promise<Answer> =>
  api.call('PUT', `${path}/${String(id)}/secrets/${name}`, { key, body: { value } });

const url = 'https://tools.example.com/mcp';

describe('creating a tool server', () => {
  test('takes every field of the contract and answers the record', async () => {
    await api.call('POST', '/v3/organizations/default/repositories', { body: { provider: 'local', repo: 'acme/one' } });
    const body = {
      name: 'Issue tracker',
      slug: 'issues',
      icon: '🐛',
      description: 'Reads issues.',
      url,
      headers: { Authorization: 'Bearer ${TRACKER_TOKEN}', 'X-Team': 'core' },
      access: 'repositories',
      repos: ['acme/one', 'local:acme/one'],
      enabled: false,
    };
    const { repos: _repos, ...shown } = body;
    const server = await create(body);
    const times = { created_at: expect.any(String), updated_at: expect.any(String) };
    expect(server).toEqual({
      ...shown,
      ...times,
      repos: ['local:acme/one'],
      id: expect.stringMatching(/^mcp_/),
      source: 'custom',
      command: '',
      args: [],
      env: {},
      secret_names: [],
    });
    expect((await api.call('GET', `${path}/${String(server['id'])}`)).json).toEqual(server);
  });

  test('makes the slug from the name, with a suffix where it is taken; one that is asked for and taken is 409', async () => {
    const slugs = [];
    for (const name of ['Ünit Tests!', 'unit tests', 'Unit-Tests', '日本', '日本', 'x'.repeat(200)])
      slugs.push((await create({ name, url }))['slug']);
    expect(slugs).toEqual(['unit-tests', 'unit-tests-2', 'unit-tests-3', 'server', 'server-2', 'x'.repeat(32)]);
    const taken = await post({ name: 'Other', url, slug: 'unit-tests' });
    expect([taken.status, taken.json['error']]).toEqual([409, 'slug_taken']);
    const raced = await Promise.all(Array.from({ length: 5 }, () => create({ name: 'Raced', url })));
    expect(new Set(raced.map(({ slug }) => slug)).size).toBe(5);
    const path2 = `/v3/organizations/${elsewhere.slug}/mcp-servers`;
    const theirs = await api.call('POST', path2, { key: elsewhere.key, body: { name: 'x', url, slug: 'unit-tests' } });
    expect(theirs.status).toBe(201);
  });

  test('with an Idempotency-Key is done once', async () => {
    const key = { 'idempotency-key': 'one-server' };
    const [first, again] = [await post({ name: 'Once', url }, key), await post({ name: 'Once', url }, key)];
    expect(again.json).toEqual(first.json);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const { json } = await api.call('GET', `${path}?search=once`);
    expect(json['total']).toBe(1);
  });

  test.each<[string, object, string]>([
    ['no name', { url }, 'body.name'],
    ['a name of blanks', { name: ' ', url }, 'body.name'],
    ['a name of 201 characters', { name: 'x'.repeat(201), url }, 'body.name'],
    ['neither url nor command', { name: 'x' }, 'body.url'],
    ['both', { name: 'x', url, command: 'npx' }, 'body.url'],
    ['an unknown key', { name: 'x', url, colour: 'red' }, 'body.colour'],
    ['a source', { name: 'x', url, source: 'catalog' }, 'body.source'],
    ['a slug in upper case', { name: 'x', url, slug: 'ABC' }, 'body.slug'],
    ['a slug of 41 characters', { name: 'x', url, slug: 'a'.repeat(41) }, 'body.slug'],
    ['a relative URL', { name: 'x', url: '/mcp' }, 'body.url'],
    ['another scheme', { name: 'x', url: 'file:///etc/passwd' }, 'body.url'],
    ['credentials in the URL', { name: 'x', url: 'https://ada:pw@tools.example.com/' }, 'body.url'],
    ['a user in the URL', { name: 'x', url: 'https://ada@tools.example.com/' }, 'body.url'],
    ['a token in the query', { name: 'x', url: `${url}?access_token=abc` }, 'body.url'],
    ['an API key in the query', { name: 'x', url: `${url}?apiKey=abc` }, 'body.url'],
    ['a placeholder in the URL', { name: 'x', url: `${url}?x=\${TOKEN}` }, 'body.url'],
    ['a fragment', { name: 'x', url: `${url}#x` }, 'body.url'],
    ['args with a URL', { name: 'x', url, args: ['-y'] }, 'body.args'],
    ['env with a URL', { name: 'x', url, env: { A: 'b' } }, 'body.env'],
    ['headers with a command', { name: 'x', command: 'npx', headers: { a: 'b' } }, 'body.headers'],
    ['a command of two lines', { name: 'x', command: 'npx\nrm' }, 'body.command'],
    ['a header that is none', { name: 'x', url, headers: { 'a b': 'c' } }, 'body.headers'],
    ['a header with a line break', { name: 'x', url, headers: { a: 'b\r\nc: d' } }, 'body.headers'],
    ['a header in UTF-8', { name: 'x', url, headers: { a: 'ü' } }, 'body.headers'],
    ['the header host', { name: 'x', url, headers: { Host: 'evil.example' } }, 'body.headers'],
    ['the header content-length', { name: 'x', url, headers: { 'Content-Length': '0' } }, 'body.headers'],
    ['the header connection', { name: 'x', url, headers: { connection: 'upgrade' } }, 'body.headers'],
    ['a header of the proxy', { name: 'x', url, headers: { 'Proxy-Authorization': '${A}' } }, 'body.headers'],
    ['the session of the protocol', { name: 'x', url, headers: { 'Mcp-Session-Id': '1' } }, 'body.headers'],
    ['a header twice', { name: 'x', url, headers: { 'X-A': '1', 'x-a': '2' } }, 'body.headers'],
    ['a variable that is none', { name: 'x', command: 'npx', env: { '1A': 'b' } }, 'body.env'],
    ['a reserved variable', { name: 'x', command: 'npx', env: { LD_PRELOAD: '/x' } }, 'body.env'],
    ['repos for everybody', { name: 'x', url, repos: ['acme/one'] }, 'body.repos'],
    ['an unknown access', { name: 'x', url, access: 'nobody' }, 'body.access'],
    [
      '51 headers',
      { name: 'x', url, headers: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`x-${n}`, ''])) },
      'body.headers',
    ],
  ])('%s is 400 that names it', async (_name, body, place) => {
    const { status, json } = await post(body);
    expect([status, json['error']]).toEqual([400, 'invalid_request']);
    expect(json['message']).toContain(place);
  });

  test('an unknown repository is 404', async () => {
    const { status, json } = await post({ name: 'x', url, access: 'repositories', repos: ['acme/none'] });
    expect([status, json['error']]).toEqual([404, 'repository_not_found']);
  });
});

describe('a credential that is written out', () => {
  const secret = 'hunter2-and-more';
  const password = 'pw-of-the-db';
  // Concatenated, so that scanners do not report this file.
  const gitHubToken = ['ghp', 'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx'].join('_');
  const slackToken = ['xoxb', '123456789012', '1234567890123', 'abcdefghijklmnopqrstuvwx'].join('-');
  test.each<[string, object]>([
    ['authorization', { url, headers: { Authorization: `Bearer ${secret}` } }],
    ['cookie', { url, headers: { cookie: `sid=${secret}` } }],
    ['a token', { url, headers: { 'X-Auth-Token': secret } }],
    ['an API key', { url, headers: { 'x-api-key': secret } }],
    ['beside a placeholder', { url, headers: { authorization: `\${SCHEME} ${secret}-and-more` } }],
    ['in env', { command: 'npx', env: { GITHUB_TOKEN: secret } }],
    ['in env, in camel case', { command: 'npx', env: { dbPassword: secret } }],
    ['in env, as a secret', { command: 'npx', env: { CLIENT_SECRET_1: secret } }],
    ['as an option', { command: 'npx', args: ['-y', 'tools', `--api-key=${secret}`] }],
    ['behind an option', { command: 'npx', args: ['-y', 'tools', '--token', secret] }],
    ['as a header of an option', { command: 'npx', args: ['tools', '--header', `Authorization: Bearer ${secret}`] }],
    ['as a variable of env', { command: 'env', args: [`GITHUB_TOKEN=${secret}`, 'npx'] }],
    // Credentials that the scanner recognizes under any name.
    ['known by its form, in a header', { url, headers: { 'x-team': gitHubToken } }],
    ['known by its form, in env', { command: 'npx', env: { DB: `postgres://ada:${password}@db.example.com:5432/x` } }],
    ['known by its form, in args', { command: 'npx', args: [slackToken] }],
    ['known by its form, in the URL', { url: `${url}?team=${gitHubToken}` }],
  ])('is refused, and not repeated: %s', async (_name, body) => {
    const { status, json, text } = await post({ name: 'Leak', ...body });
    expect([status, json['error']]).toEqual([400, 'invalid_request']);
    for (const value of [secret, 'wWPw5k4a', password, 'abcdefghijkl']) expect(text).not.toContain(value);
    expect((await api.call('GET', `${path}?search=leak`)).json['total']).toBe(0);
  });

  test.each<[string, object]>([
    [
      'named',
      { url, headers: { Authorization: 'Bearer ${TOKEN}', cookie: 'sid=${SID}; theme=dark', 'x-api-key': '${K}' } },
    ],
    ['empty', { command: 'npx', env: { GITHUB_TOKEN: '' } }],
    ['none', { url: `${url}?team=core&page=1`, headers: { 'x-monkeys': 'many', 'x-team': 'core' } }],
    ['named in an argument', { command: 'npx', args: ['tools', '--header', 'Authorization:${AUTH}'] }],
    ['an option without a value', { command: 'npx', args: ['--token', '--verbose', 'x=y'] }],
  ])('is not one when it is %s', async (_name, body) => {
    expect((await post({ name: 'Fine', ...body })).status).toBe(201);
  });
});

describe('changing one', () => {
  test('replaces what is sent and leaves the rest', async () => {
    const server = await create({ name: 'Before', url, headers: { 'x-a': '1' }, description: 'Old' });
    const at = `${path}/${String(server['id'])}`;
    const { status, json } = await api.call('PATCH', at, {
      body: { name: 'After', headers: { 'x-b': '2' }, slug: 'after' },
    });
    expect([status, json]).toEqual([
      200,
      { ...server, name: 'After', headers: { 'x-b': '2' }, slug: 'after', updated_at: expect.any(String) },
    ]);
    const moved = await api.call('PATCH', at, { body: { url: '', headers: {}, command: 'npx', args: ['-y', 'x'] } });
    expect(moved.json).toMatchObject({ url: '', command: 'npx', args: ['-y', 'x'], description: 'Old' });
    expect((await api.call('PATCH', at, { body: {} })).json).toMatchObject({ name: 'After', command: 'npx' });
  });

  test.each<[string, object, string]>([
    ['a second way', { command: 'npx' }, 'body.url and body.command exclude each other: set one of them to "".'],
    ['no way', { url: '' }, expect.any(String)],
    ['a credential', { headers: { authorization: 'Bearer abcdefgh' } }, expect.any(String)],
    ['null', { name: null }, expect.any(String)],
    ['repos without the access', { repos: ['acme/one'] }, expect.any(String)],
  ])('%s is 400 and changes nothing', async (_name, body, message) => {
    const server = await create({ name: 'Kept', url });
    const at = `${path}/${String(server['id'])}`;
    expect(await api.call('PATCH', at, { body })).toMatchObject({ status: 400, json: { message } });
    expect((await api.call('GET', at)).json).toEqual(server);
  });

  test.each<[string, object]>([
    ['two ways', { url, command: 'npx' }],
    ['a credential', { headers: { authorization: 'Bearer abcdefgh' } }],
    ['a credential by its form', { env: { FOO: `ghp_${'0aB'.repeat(12)}` } }],
    ['a URL with one', { url: 'https://me:pass@tools.example.com/' }],
    ['repos without the access', { access: 'organization', repos: ['acme/none'] }],
  ])('%s is 400 before it is 404', async (_name, body) => {
    expect((await api.call('PATCH', `${path}/mcp_none`, { body })).json['error']).toBe('invalid_request');
  });

  test('a slug that is taken is 409; its own is none', async () => {
    const [one, other] = [await create({ name: 'Slug one', url }), await create({ name: 'Slug other', url })];
    const at = `${path}/${String(one['id'])}`;
    expect((await api.call('PATCH', at, { body: { slug: other['slug'] } })).json['error']).toBe('slug_taken');
    expect((await api.call('PATCH', at, { body: { slug: one['slug'] } })).status).toBe(200);
  });

  test('one that is deleted is gone with its secrets', async () => {
    const { id } = await create({ name: 'Gone', url });
    await set(id, 'TOKEN', token);
    expect((await api.call('DELETE', `${path}/${String(id)}`)).status).toBe(204);
    for (const method of ['GET', 'DELETE'])
      expect((await api.call(method, `${path}/${String(id)}`)).json['message']).toMatch(/^No MCP server "mcp_/);
    const { rows } = await api.ctx.db.pool.query('select 1 from mcp_server_secrets where server_id = $1', [id]);
    expect(rows).toEqual([]);
  });
});

describe('its secrets', () => {
  test('are set and named, and never shown: not in answers, not in the audit trail, not in the database', async () => {
    const { id } = await create({ name: 'Locked', url, headers: { authorization: 'Bearer ${TOKEN}' } });
    const first = await set(id, 'TOKEN', token);
    expect([first.status, first.json]).toMatchObject([200, { id, secret_names: ['TOKEN'] }]);
    expect((await set(id, 'ANOTHER', `${token}-2`)).json['secret_names']).toEqual(['ANOTHER', 'TOKEN']);
    expect((await set(id, 'TOKEN', `${token}-3`)).json['secret_names']).toEqual(['ANOTHER', 'TOKEN']);
    const removed = await api.call('DELETE', `${path}/${String(id)}/secrets/ANOTHER`);
    expect([removed.status, (await api.call('GET', `${path}/${String(id)}`)).json['secret_names']]).toEqual([
      204,
      ['TOKEN'],
    ]);
    const again = await api.call('DELETE', `${path}/${String(id)}/secrets/ANOTHER`);
    expect([again.status, again.json['error']]).toEqual([404, 'secret_not_found']);
    const logs = await api.call('GET', '/v3/organizations/default/audit-logs?first=200');
    expect(logs.text).toContain('mcp_server.set_secret');
    const { rows } = await api.ctx.db.pool.query('select * from mcp_server_secrets');
    for (const shown of [first.text, logs.text, JSON.stringify(rows), (await api.call('GET', path)).text])
      expect(shown).not.toContain(token);
  });

  test.each<[string, string, unknown]>([
    ['no value', 'TOKEN', undefined],
    ['an empty value', 'TOKEN', ''],
    ['16,385 bytes', 'TOKEN', 'x'.repeat(16_385)],
    ['16,385 bytes of fewer characters', 'TOKEN', `${'ü'.repeat(8_192)}x`],
    ['a name that is none', '1TOKEN', 'x'],
    ['a name with a dash', 'MY-TOKEN', 'x'],
  ])('%s is 400', async (_name, secret, value) => {
    const { id } = await create({ name: 'Refuses', url });
    for (const server of [id, 'mcp_none'])
      expect((await set(server, secret, value)).json['error']).toBe('invalid_request');
  });

  test('16,384 bytes are taken; the 51st secret is 409', async () => {
    const { id } = await create({ name: 'Takes', url });
    expect((await set(id, 'S0', 'ü'.repeat(8_192))).status).toBe(200);
    for (let n = 1; n < 50; n += 1) await set(id, `S${n}`, 'x');
    expect((await set(id, 'S50', 'x')).json['error']).toBe('conflict');
    expect((await set(id, 'S49', 'y')).status).toBe(200);
  });
});

describe('for the others', () => {
  test('a session names servers that are there, enabled, and for its repositories', async () => {
    const one = String((await create({ name: 'Named', url, access: 'on_request' }))['id']);
    const off = String((await create({ name: 'Off', url, enabled: false }))['id']);
    const scoped = String((await create({ name: 'Scoped', url, access: 'repositories', repos: ['acme/one'] }))['id']);
    const sessions = '/v3/organizations/default/sessions';
    const ask = (ids: unknown, repositories: object[] = []) =>
      api.call('POST', sessions, { body: { prompt: 'x', repositories, mcp_server_ids: ids } });
    expect((await ask([one])).status).toBe(201);
    expect((await ask([scoped], [{ repo: 'acme/one' }])).status).toBe(201);
    for (const ids of [null, []]) expect((await ask(ids)).status).toBe(201);
    expect((await ask(['mcp_none'])).json['error']).toBe('mcp_server_not_found');
    expect((await ask([off])).json['error']).toBe('invalid_request');
    expect((await ask([scoped])).json['error']).toBe('invalid_request');
  });

  test('blueprints have the enabled ones, with references for secrets', async () => {
    const { key, slug } = await api.createOrganization('Blueprints');
    const theirs = `/v3/organizations/${slug}`;
    for (const body of [
      { name: 'By URL', url, headers: { authorization: 'Bearer ${T}', 'x-api-key': '${K}' }, description: 'What' },
      { name: 'Local', command: 'npx', args: ['-y'], env: { A_TOKEN: '${T}', REGION: 'eu' } },
      { name: 'Off', url, enabled: false },
    ])
      await api.call('POST', `${theirs}/mcp-servers`, { key, body });
    const orgId = String((await api.call('GET', theirs, { key })).json['id']);
    const common = { access: 'organization', repos: [] };
    expect(await serverManifests(api.ctx.db.kysely, orgId)).toEqual([
      {
        slug: 'by-url',
        name: 'By URL',
        description: 'What',
        url,
        headers: { authorization: 'Bearer ${T}', 'x-api-key': { $secret: 'K' } },
        ...common,
      },
      {
        slug: 'local',
        name: 'Local',
        description: '',
        command: 'npx',
        args: ['-y'],
        env: { A_TOKEN: { $secret: 'T' }, REGION: 'eu' },
        ...common,
      },
    ]);
  });
});

describe('trying one', () => {
  let worker: TestWorker | undefined;
  let http: { url: string; close(): Promise<void> };
  let sse: { url: string; close(): Promise<void> };
  const peers: Peer[] = [];
  beforeAll(async () => {
    [http, sse] = await Promise.all([startEverything('streamableHttp'), startEverything('sse')]);
  }, 60_000);
  afterAll(async () => {
    await worker?.close();
    await Promise.all([http.close(), sse.close(), ...peers.map((peer) => peer.close())]);
  });

  const probe = (id: unknown): Promise<Answer> => api.call('POST', `${path}/${String(id)}/test`);
  const tools = (id: unknown): Promise<Answer> => api.call('GET', `${path}/${String(id)}/tools`);

  test('without a worker is 503 at once, and of one that is not there 404', async () => {
    const { id } = await create({ name: 'Early', url });
    for (const answer of [await probe(id), await tools(id)])
      expect([answer.status, answer.json['error']]).toEqual([503, 'capacity_unavailable']);
    for (const answer of [await probe('mcp_none'), await tools('mcp_none')])
      expect([answer.status, answer.json['error']]).toEqual([404, 'mcp_server_not_found']);
    worker = await startTestWorker(api.ctx, api.url, { change: withEverything });
  });

  test.each<[string, () => object]>([
    ['streamable HTTP', () => ({ url: http.url, headers: { 'x-api-key': '${TOKEN}' } })],
    ['SSE', () => ({ url: sse.url })],
    ['stdio in a sandbox', () => ({ ...everything, env: { A_TOKEN: '${TOKEN}' } })],
  ])(
    'the reference server over %s tells who it is and what it offers',
    async (_name, body) => {
      const { id } = await create({ name: 'Reference', ...body() });
      await set(id, 'TOKEN', token);
      const answer = await probe(id);
      expect([answer.status, answer.json]).toMatchObject([
        200,
        {
          ok: true,
          latency_ms: expect.any(Number),
          server: {
            name: expect.stringContaining('everything'),
            version: expect.stringMatching(/\d/),
            protocol_version: expect.stringMatching(/^20/),
          },
          tools: expect.arrayContaining([{ name: 'echo', description: expect.stringMatching(/\S/) }]),
          problem: '',
        },
      ]);
      expect(Object(answer.json['tools']).length).toBe(answer.json['tools_count']);
      const offered = await tools(id);
      expect([offered.status, offered.json]).toMatchObject([
        200,
        {
          items: expect.arrayContaining([
            {
              name: 'get-sum',
              description: expect.any(String),
              input_schema: expect.objectContaining({ type: 'object', required: ['a', 'b'] }),
            },
          ]),
          total: answer.json['tools_count'],
        },
      ]);
      const { rows } = await api.ctx.db.pool.query(
        "select changes from audit_entries where action = 'mcp_server.test' order by id desc limit 1",
      );
      expect(rows).toEqual([{ changes: { slug: expect.stringMatching(/^reference/), ok: true } }]);
    },
    60_000,
  );

  test.each<[string, () => object | Promise<object>, RegExp, [number, string]]>([
    ['at a private address', () => ({ url: 'http://10.1.2.3/mcp' }), /is not public/, [403, 'address_not_allowed']],
    [
      'at a metadata address',
      () => ({ url: 'http://169.254.169.254/' }),
      /is not public/,
      [403, 'address_not_allowed'],
    ],
    [
      'without its secret',
      () => ({ url: http.url, headers: { 'x-api-key': '${NOT_THERE}' } }),
      /NOT_THERE/,
      [502, 'upstream_error'],
    ],
    [
      'that ends at once',
      () => ({ command: 'bash', args: ['-c', 'echo no >&2; exit 4'] }),
      /exit code 4: no/,
      [502, 'upstream_error'],
    ],
    ['that is not installed', () => ({ command: 'no-such-program' }), /not found/, [502, 'upstream_error']],
    ['that is no tool server', async () => ({ url: (await page()).url }), /\S/, [502, 'upstream_error']],
  ])(
    'a server %s is told, and no failure of the test',
    async (_name, body, problem, expected) => {
      const { id } = await create({ name: 'Bad', ...(await body()) });
      const answer = await probe(id);
      expect([answer.status, answer.json]).toMatchObject([
        200,
        { ok: false, tools_count: 0, tools: [], server: { name: '' }, problem: expect.stringMatching(problem) },
      ]);
      const offered = await tools(id);
      expect([offered.status, offered.json['error']]).toEqual(expected);
      expect(offered.json['message']).toMatch(problem);
    },
    60_000,
  );

  test('one that never answers is given up after 15 s', async () => {
    const silent = await startToolServer(() => undefined);
    peers.push(silent);
    const { id } = await create({ name: 'Silent', url: silent.url });
    const answer = await probe(id);
    expect(answer.json).toMatchObject({ ok: false, problem: 'The server did not respond within 15 s.' });
    expect(Number(answer.json['latency_ms'])).toBeLessThan(17_000);
  }, 40_000);

  test('many at once takes no place of other organizations', async () => {
    const silent = await startToolServer(() => undefined);
    const { id } = await create({ name: 'Held', url: silent.url });
    const held = Array.from({ length: 30 }, () => probe(id));
    const { status, json, headers } = await Promise.race(held);
    expect([status, json['error'], headers.get('retry-after')]).toEqual([429, 'rate_limited', '10']);
    const [servers, key] = [`/v3/organizations/${elsewhere.slug}/mcp-servers`, elsewhere.key];
    const other = await api.call('POST', servers, { key, body: { name: 'Theirs', url: http.url } });
    const answer = await api.call('POST', `${servers}/${String(other.json['id'])}/test`, { key });
    expect([answer.status, answer.json['ok']]).toEqual([200, true]);
    await silent.close();
    expect((await Promise.all(held)).filter((tried) => tried.status === 200)).toHaveLength(22);
  }, 60_000);

  test('shows no secret that a server says again', async () => {
    const echoing = await startToolServer(({ request }) => ({
      tools: [listed('echo', { description: String(request.headers['x-api-key']) })],
      ...says(''),
    }));
    peers.push(echoing);
    const { id } = await create({ name: 'Echoing', url: echoing.url, headers: { 'x-api-key': '${TOKEN}' } });
    await set(id, 'TOKEN', token);
    const printing = await create({
      name: 'Printing',
      command: 'bash',
      args: ['-c', 'echo "$A_TOKEN" >&2'],
      env: { A_TOKEN: '${TOKEN}' },
    });
    await set(printing['id'], 'TOKEN', token);
    for (const answer of [await probe(id), await tools(id), await probe(printing['id'])]) {
      expect(answer.text).toContain('********');
      expect(answer.text).not.toContain(token);
    }
  }, 40_000);

  async function page(): Promise<Peer> {
    const peer = await startPeer((_request, response) => response.end('<h1>Hello</h1>'));
    peers.push(peer);
    return peer;
  }
});
