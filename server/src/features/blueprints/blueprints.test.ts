import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { toolsForMode } from '../../adapters/agent/builtin/tools/toolbox.ts';
import { builtinTools } from '../../adapters/agent/builtin/driver.ts';
import { redact, type Redaction } from './redact.ts';

const path = '/v3/organizations/default/blueprints';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

async function agent(body: object): Promise<{ id: string; blueprint: string }> {
  const { status, json } = await api.call('POST', '/agents', { body: { name: 'x', ...body } });
  expect(status).toBe(201);
  const id = String(json['id']);
  return { id, blueprint: id.replace('agt_', 'bp_') };
}

function errorOf({ status, json }: Answer): unknown[] {
  return [status, json['error']];
}

const sandbox = { allowed_hosts: [], cpu: 2, disk_mb: 10_240, memory_mb: 4_096, network: 'none', pids: 1_024 };
const secret = `ghp_${'a1B2'.repeat(9)}`;

describe('a blueprint', () => {
  test('is what its agent is, with every documented key in one order and a digest that anybody can compute', async () => {
    const { id, blueprint } = await agent({
      description: 'Short',
      system_prompt: 'Be brief.',
      max_tokens: 9,
      temperature: 0.5,
    });
    const { status, json, text } = await api.call('GET', `${path}/${blueprint}`);
    expect([status, json]).toEqual([
      200,
      {
        id: blueprint,
        agent_id: id,
        name: 'x',
        description: 'Short',
        version: 1,
        digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        manifest: {
          model: '',
          system_prompt: 'Be brief.',
          max_tokens: 9,
          temperature: 0.5,
          tools: ['shell', 'read', 'write', 'edit', 'search', 'plan', 'ask', 'set_check'].map((name) => ({
            name,
            config: {},
          })),
          mcp_servers: [],
          skills: [],
          knowledge: [],
          sandbox,
        },
        redactions: [],
        created_at: expect.stringMatching(/Z$/),
      },
    ]);
    const manifest = text.slice(text.indexOf('"manifest":') + 11, text.indexOf(',"redactions"'));
    expect(json['digest']).toBe(`sha256:${createHash('sha256').update(manifest).digest('hex')}`);
    expect((await api.call('GET', `${path}/${blueprint}`)).text).toBe(text);
  });

  test('lists the tools that the built-in agent has', () => {
    expect([...toolsForMode('build').keys()]).toEqual(builtinTools);
  });

  test('is the same whatever the order of what it was made from', async () => {
    const step = { run: 'true', allow_failure: true };
    const one = await agent({ runtime: 'script', runtime_config: { steps: [step], summary: 's' } });
    const { run, allow_failure } = step;
    const other = await agent({ runtime: 'script', runtime_config: { summary: 's', steps: [{ allow_failure, run }] } });
    const digests = await Promise.all(
      [one, other].map(async ({ blueprint }) => (await api.call('GET', `${path}/${blueprint}`)).json['digest']),
    );
    expect(digests[0]).toBe(digests[1]);
  });

  test('is YAML for who asks for it', async () => {
    const { blueprint } = await agent({ system_prompt: 'One\ntwo: three' });
    const plain = await api.call('GET', `${path}/${blueprint}`);
    const yaml = await api.call('GET', `${path}/${blueprint}`, { headers: { accept: 'application/yaml' } });
    expect(yaml.headers.get('content-type')).toBe('application/yaml; charset=utf-8');
    expect(parse(yaml.text)).toEqual(plain.json);
    const json = await api.call('GET', `${path}/${blueprint}`, { headers: { accept: 'application/json, */*' } });
    expect(json.text).toBe(plain.text);
  });

  test('shows no credential: not by name, not by form, not in any answer', async () => {
    const { blueprint, id } = await agent({
      system_prompt: `Use ${secret} for git.`,
      runtime: 'acp',
      runtime_config: { preset: 'custom', command: 'x', args: ['--api-key=hunter2hunter2', secret, '--verbose'] },
    });
    const { text, json } = await api.call('GET', `${path}/${blueprint}`);
    expect(json['redactions']).toEqual([
      { path: '/system_prompt', name: 'SYSTEM_PROMPT' },
      { path: '/tools/0/config/args/0', name: 'ARGS' },
      { path: '/tools/0/config/args/1', name: 'ARGS' },
    ]);
    expect(json['manifest']).toMatchObject({
      system_prompt: 'Use {"$secret":"SYSTEM_PROMPT"} for git.',
      tools: [{ config: { args: ['--api-key={"$secret":"ARGS"}', { $secret: 'ARGS' }, '--verbose'] } }],
    });
    await api.call('PATCH', `/agents/${id}`, { body: { system_prompt: 'None.' } });
    const all = await Promise.all([
      api.call('GET', path),
      api.call('GET', `${path}/export`),
      api.call('GET', `${path}/export`, { headers: { accept: 'text/yaml' } }),
      api.call('GET', `${path}/${blueprint}/versions`),
      api.call('POST', `${path}/diff`, { body: { from: { id: blueprint, version: 1 }, to: { id: blueprint } } }),
      api.call('POST', `${path}/diff`, {
        body: {
          from: { id: blueprint },
          to: { manifest: { tools: [{ env: { API_TOKEN: 'hunter2hunter2' } }, secret] } },
        },
      }),
    ]);
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    for (const answer of [text, ...all.map((one) => one.text)]) {
      expect(answer).not.toContain(secret);
      expect(answer).not.toContain('hunter2');
    }
  });

  test('has a version for each of its agent, and is gone with it', async () => {
    const { id, blueprint } = await agent({ system_prompt: 'one' });
    for (const system_prompt of ['two', 'three']) await api.call('PATCH', `/agents/${id}`, { body: { system_prompt } });
    const first = await api.call('GET', `${path}/${blueprint}/versions?first=2`);
    expect(first.json).toMatchObject({
      items: [
        { id: blueprint, version: 3, manifest: { system_prompt: 'three' } },
        { version: 2, manifest: { system_prompt: 'two' } },
      ],
      has_next_page: true,
      total: 3,
    });
    const more = await api.call(
      'GET',
      `${path}/${blueprint}/versions?first=2&after=${String(first.json['end_cursor'])}`,
    );
    expect(more.json).toMatchObject({ items: [{ version: 1 }], has_next_page: false });
    await api.call('DELETE', `/agents/${id}`);
    for (const below of ['', '/versions'])
      expect(errorOf(await api.call('GET', `${path}/${blueprint}${below}`))).toEqual([404, 'blueprint_not_found']);
  });

  test('lists the notes, skills and tool servers that are enabled, with references for secrets', async () => {
    const { key, slug, id: orgId } = await api.createOrganization('Equipped');
    const org = `/v3/organizations/${slug}`;
    const create = async (below: string, body: object) => {
      const made = await api.call('POST', `${org}${below}`, { key, body });
      expect([made.status, made.text]).toEqual([201, made.text]);
      return made.json;
    };
    const first = await create('/knowledge/notes', { name: 'First', trigger: 't', body: 'b' });
    const second = await create('/knowledge/notes', { name: 'Second', trigger: 't', body: 'b' });
    await create('/knowledge/notes', { name: 'Off', trigger: 't', body: 'b', enabled: false });
    await create('/knowledge/notes', { name: 'Own', trigger: 't', body: 'b', scope: 'user' });
    const files = [{ path: 'SKILL.md', content: '---\nname: tidy\ndescription: Tidies up.\n---\nTidy.\n' }];
    const skill = await create('/skills', { files });
    const headers = { authorization: 'Bearer ${DOCS_TOKEN}', 'x-api-key': '${DOCS_KEY}', 'x-team': 'docs' };
    await create('/mcp-servers', { name: 'Docs', url: 'https://docs.example.com/mcp', headers });
    await create('/mcp-servers', { name: 'Off', url: 'https://off.example.com/mcp', enabled: false });
    const read = async () => Object((await api.call('GET', `${org}/blueprints`, { key })).json['items'])[0];
    const before = await read();
    expect(before.manifest.knowledge).toEqual([
      { name: 'First', note_id: first['note_id'], revision: 1 },
      { name: 'Second', note_id: second['note_id'], revision: 1 },
    ]);
    expect(before.manifest.skills).toEqual([{ digest: skill['digest'], id: skill['id'], name: 'tidy', revision: 1 }]);
    expect(before.manifest.mcp_servers).toMatchObject([
      {
        slug: 'docs',
        url: 'https://docs.example.com/mcp',
        headers: {
          authorization: 'Bearer {"$secret":"DOCS_TOKEN"}',
          'x-api-key': { $secret: 'DOCS_KEY' },
          'x-team': 'docs',
        },
      },
    ]);
    expect(before.redactions).toEqual([
      { path: '/mcp_servers/0/headers/authorization', name: 'DOCS_TOKEN' },
      { path: '/mcp_servers/0/headers/x-api-key', name: 'DOCS_KEY' },
    ]);
    expect(await read()).toEqual(before);
    const same = { from: { id: before.id }, to: { manifest: before.manifest } };
    expect((await api.call('POST', `${org}/blueprints/diff`, { key, body: same })).json).toMatchObject({
      identical: true,
      to_digest: before.digest,
    });
    await api.call('PATCH', `${org}/knowledge/notes/${String(first['note_id'])}`, { key, body: { body: 'Other.' } });
    const after = await read();
    expect([after.version, after.manifest.knowledge[0].revision]).toEqual([1, 2]);
    expect(after.digest).not.toBe(before.digest);
    await api.ctx.db.pool.query(
      `insert into knowledge_notes (id, org_id, name, trigger, body, created_by_type, created_by_id)
       select 'note_' || lpad(n::text, 26, '0'), $1, 'n', 't', 'b', 'user', 'usr_x' from generate_series(1, 1500) n`,
      [orgId],
    );
    const many = await read();
    expect([many.manifest.knowledge.length, many.manifest.knowledge.at(-1)]).toEqual([
      1_001,
      { digest: expect.stringMatching(/^sha256:/), omitted: 502 },
    ]);
  });

  test('comes in pages and as an export of all', async () => {
    const { key, slug } = await api.createOrganization('Blueprints');
    const at = `/v3/organizations/${slug}/blueprints`;
    const { json } = await api.call('GET', at, { key });
    expect(json).toMatchObject({ items: [{ name: 'builtin', version: 1 }], total: 1, has_next_page: false });
    expect((await api.call('GET', `${at}/export`, { key })).json).toEqual({ items: json['items'], total: 1 });
    const yaml = await api.call('GET', `${at}/export`, { key, headers: { accept: 'application/yaml' } });
    expect(parse(yaml.text)).toEqual({ items: json['items'], total: 1 });
    const { blueprint } = await agent({});
    expect(errorOf(await api.call('GET', `${at}/${blueprint}`, { key }))).toEqual([404, 'blueprint_not_found']);
    expect(errorOf(await api.call('GET', `${path}/agt_x`))).toEqual([404, 'blueprint_not_found']);
  });

  test('needs org:read and nothing else, and cannot be written', async () => {
    const { blueprint } = await agent({});
    const [reader, other] = [await api.keyWith(['org:read']), await api.keyWith(['run'])];
    const body = { from: { id: blueprint }, to: { id: blueprint } };
    for (const at of [path, `${path}/${blueprint}`, `${path}/${blueprint}/versions`, `${path}/export`]) {
      expect((await api.call('GET', at, { key: reader })).status).toBe(200);
      expect(errorOf(await api.call('GET', at, { key: other }))).toEqual([403, 'forbidden']);
    }
    expect((await api.call('POST', `${path}/diff`, { key: reader, body })).status).toBe(200);
    expect(errorOf(await api.call('POST', `${path}/diff`, { key: other, body }))).toEqual([403, 'forbidden']);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect(errorOf(await api.call(method, `${path}/${blueprint}`, { body: {} }))).toEqual([404, 'not_found']);
  });
});

describe('a comparison', () => {
  test('names what has to change, in the manner of a JSON Patch', async () => {
    const { id, blueprint } = await agent({ system_prompt: 'one', temperature: 1 });
    await api.call('PATCH', `/agents/${id}`, { body: { system_prompt: 'two' } });
    const body = { from: { id: blueprint, version: 1 }, to: { id: blueprint } };
    const { status, json } = await api.call('POST', `${path}/diff`, { body });
    expect([status, json]).toEqual([
      200,
      {
        identical: false,
        from_digest: expect.stringMatching(/^sha256:/),
        to_digest: expect.stringMatching(/^sha256:/),
        changes: [{ op: 'replace', path: '/system_prompt', from: 'one', value: 'two' }],
      },
    ]);
    const { manifest, digest } = (await api.call('GET', `${path}/${blueprint}`)).json;
    const reversed = Object.fromEntries(Object.entries(Object(manifest)).toReversed());
    const same = await api.call('POST', `${path}/diff`, {
      body: { from: { id: blueprint }, to: { manifest: reversed } },
    });
    expect(same.json).toEqual({ identical: true, from_digest: digest, to_digest: digest, changes: [] });
    const { model: _model, ...less } = Object(manifest);
    const other = { ...less, tools: less.tools.slice(0, 7), 'x/y': 1, skills: ['a'] };
    const changed = await api.call('POST', `${path}/diff`, {
      body: { from: { id: blueprint }, to: { manifest: other } },
    });
    expect(changed.json['changes']).toEqual([
      { op: 'remove', path: '/model', from: '', value: null },
      { op: 'remove', path: '/tools/7', from: { name: 'set_check', config: {} }, value: null },
      { op: 'add', path: '/skills/0', from: null, value: 'a' },
      { op: 'add', path: '/x~1y', from: null, value: 1 },
    ]);
  });

  test.each<[string, (id: string) => object]>([
    ['nothing', () => ({})],
    ['no other side', (id) => ({ from: { id }, to: {} })],
    ['no other side, of one that is not there', () => ({ from: { id: 'bp_none' }, to: {} })],
    ['both an id and a manifest', (id) => ({ from: { id }, to: { id, manifest: {} } })],
    ['a version of a manifest', (id) => ({ from: { id }, to: { version: 1, manifest: {} } })],
    ['version 0', (id) => ({ from: { id, version: 0 }, to: { id } })],
    ['an unknown key', (id) => ({ from: { id }, to: { id }, write: true })],
  ])('of %s is 400', async (_name, body) => {
    const { blueprint } = await agent({});
    const answer = await api.call('POST', `${path}/diff`, { body: body(blueprint) });
    expect(errorOf(answer)).toEqual([400, 'invalid_request']);
  });

  test('of what is not there is 404', async () => {
    const { blueprint: id } = await agent({});
    for (const body of [
      { from: { id: 'bp_none' }, to: { id } },
      { from: { id }, to: { id: 'bp_none' } },
      { from: { id, version: 2 }, to: { id } },
    ])
      expect(errorOf(await api.call('POST', `${path}/diff`, { body }))).toEqual([404, 'blueprint_not_found']);
  });
});

describe('redaction', () => {
  function redacted(value: unknown): [unknown, string[]] {
    const redactions: Redaction[] = [];
    return [redact(value, '', redactions), redactions.map(({ path: at, name }) => `${at} ${name}`)];
  }

  test.each([
    'API_KEY',
    'apiKey',
    'x-api-key',
    'Authorization',
    'GITHUB_TOKEN',
    'clientSecret',
    'DB_PASSWORD',
    'set-cookie',
    'privateKey',
  ])('takes the value of %s by its name', (key) => {
    const [value, redactions] = redacted({ env: { [key]: 'plain' } });
    expect(JSON.stringify(value)).not.toContain('plain');
    expect(redactions).toHaveLength(1);
  });

  test.each([
    ['max_tokens', 'many'],
    ['keyboard', 'qwerty'],
    ['monkey', 'banana'],
    ['text', 'The token is kept elsewhere. Passwords: none.'],
    ['url', 'https://example.com/a:b@c'],
    ['variable', 'curl -H "Authorization: Bearer $TOKEN" --token=${TOKEN}'],
  ])('leaves %s alone', (key, value) => expect(redacted({ [key]: value })).toEqual([{ [key]: value }, []]));

  test.each([
    'git clone https://ada:hunter2secret@example.com/x.git',
    "curl -H 'Authorization: Bearer hunter2secret'",
    'export AWS_SECRET_ACCESS_KEY=hunter2secret && run',
    'deploy --password "hunter2secret" --token=hunter2secret',
    '{"api_key": "hunter2secret"}',
  ])('takes the credential out of %j', (text) => {
    const [value, redactions] = redacted({ run: text });
    expect(JSON.stringify(value)).not.toContain('hunter2secret');
    expect(redactions.length).toBeGreaterThan(0);
  });

  test('leaves what is a placeholder already, and tells of it', () => {
    const value = {
      authorization: 'Bearer {"$secret":"A"}',
      key: { $secret: 'B' },
      args: ['--token={"$secret":"C"} x'],
    };
    const told = ['/authorization A', '/key B', '/args/0 C'];
    expect(redacted(value)).toEqual([value, told]);
    const [mixed] = redacted({ run: 'curl --token={"$secret":"C"} --password hunter2secret' });
    expect(mixed).toEqual({ run: 'curl --token={"$secret":"C"} --password {"$secret":"RUN"}' });
  });

  test('takes no longer for a text that looks like many beginnings', () => {
    const began = performance.now();
    for (const part of [' ', 'a_', 'token ', 'eyJ-', 'sk-', '://a', '-----BEGIN PRIVATE KEY-----', 'bearer '])
      redacted(part.repeat(1_000_000 / part.length));
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
