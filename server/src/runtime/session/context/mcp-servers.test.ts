import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { script } from '@guildhall/scripted-model';
import { createModelFixture, type ModelFixture } from '../../../../test/support/model-sessions.ts';
import type { Peer } from '../../../../test/support/gateway.ts';
import {
  everything,
  listed,
  says,
  startEverything,
  startToolServer,
  withEverything,
  type Asked,
} from '../../../../test/support/tool-servers.ts';

const servers = '/v3/organizations/default/mcp-servers';
const token = 'tok-2f6b90c1-of-a-tool-server';

let fixture: ModelFixture;
let http: { url: string; close(): Promise<void> };
let sse: { url: string; close(): Promise<void> };
const peers: Peer[] = [];
beforeAll(async () => {
  [fixture, http, sse] = await Promise.all([
    createModelFixture({ GUILDHALL_EGRESS_ALLOW: 'mcp=127.0.0.0/8' }, { change: withEverything }),
    startEverything('streamableHttp'),
    startEverything('sse'),
  ]);
}, 60_000);
beforeEach(() => fixture.worker());
afterAll(async () => {
  await fixture.close();
  await Promise.all([http.close(), sse.close()]);
});
afterEach(async () => {
  const { json } = await fixture.api.call('GET', `${servers}?first=200`);
  for (const { id } of Object(json).items) await fixture.api.call('DELETE', `${servers}/${id}`);
  await Promise.all(peers.splice(0).map((one) => one.close()));
});

async function add(body: object, secrets: Record<string, string> = {}): Promise<string> {
  const answer = await fixture.api.call('POST', servers, { body });
  if (answer.status !== 201) throw new Error(answer.text);
  const id = String(answer.json['id']);
  for (const [name, value] of Object.entries(secrets))
    await fixture.api.call('PUT', `${servers}/${id}/secrets/${name}`, { body: { value } });
  return id;
}

async function peer(answer: (asked: Asked) => unknown): Promise<Peer> {
  const started = await startToolServer(answer);
  peers.push(started);
  return started;
}

const call = (name: string, input: Record<string, unknown> = {}) => ({ call: { name, input } });

/** Returns the tools in a request to a model. */
function offeredBy(body: Record<string, unknown> | undefined): string[] {
  const tools: unknown = body?.['tools'];
  return (Array.isArray(tools) ? tools : []).map((tool) => String(Object(Object(tool).function ?? tool).name));
}

/** Runs a session of the built-in agent; returns its results. */
async function run(steps: Parameters<typeof script>[0], more: object = {}) {
  const from = fixture.model.requests.length;
  const session = await fixture.run({ prompt: script(steps, { say: 'Done.' }), repositories: [], ...more });
  const events = await fixture.events(session.id);
  const of = (kind: string) => events.filter((event) => event.kind === kind).map(({ data }) => data);
  const requests = fixture.model.requests.slice(from);
  const { rows } = await fixture.api.ctx.db.pool.query<{ given: Record<string, unknown> }>(
    'select given from session_contexts where session_id = $1 order by turn desc',
    [session.id],
  );
  return {
    session,
    given: Array.isArray(rows[0]?.given['mcp_servers']) ? rows[0].given['mcp_servers'].map((one) => Object(one)) : [],
    warnings: of('warning'),
    results: of('tool_result'),
    titles: of('tool_call').map(({ title }) => title),
    everything: JSON.stringify([events, requests, rows]),
    offered: offeredBy(requests[0]?.body),
  };
}

describe('a session with tool servers', () => {
  test('has the tools of all that apply, by streamable HTTP, SSE and stdio, and no secret of theirs shows', async () => {
    await add({ name: 'Everything', url: http.url, headers: { 'x-api-key': '${KEY}' } }, { KEY: token });
    await add({ name: 'Older', url: sse.url });
    await add({ name: 'Inside', ...everything, env: { INSIDE_TOKEN: '${TOKEN}', PLAIN: 'yes' } }, { TOKEN: token });
    const seen = await run([
      call('everything__echo', { message: 'over HTTP' }),
      call('older__get-sum', { a: 19, b: 23 }),
      call('inside__get-env'),
      call('everything__get-tiny-image'),
      call('shell', { command: 'cat ~/.guildhall/mcp.json; echo "$INSIDE_TOKEN."' }),
    ]);
    expect(seen.session).toMatchObject({ status: 'completed', error: null });
    expect(seen.warnings).toEqual([]);
    const [echo, sum, env, image, config] = seen.results;
    expect([echo, sum]).toMatchObject([
      { ok: true, output: 'Echo: over HTTP' },
      { ok: true, output: expect.stringContaining('42') },
    ]);
    expect(env).toMatchObject({ ok: true, output: expect.stringContaining('"INSIDE_TOKEN": "********"') });
    expect(env?.['output']).toContain('"PLAIN": "yes"');
    expect(image).toMatchObject({ ok: true, output: expect.stringContaining('image') });
    const shown = String(config?.['output']);
    expect(shown).toContain('"INSIDE_TOKEN": "${TOKEN}"');
    expect(shown).toMatch(/"type": "http",\s+"url": "http:\/\/127\.0\.0\.1:\d+\/mcp\/everything"/);
    expect(shown).toMatch(/"type": "sse",\s+"url": "http:\/\/127\.0\.0\.1:\d+\/mcp\/older"/);
    expect(seen.titles[0]).toMatch(/^Everything: Echo/);
    expect(seen.everything).not.toContain(token);
    expect(seen.given.map(({ slug, transport, problem, reason }) => [slug, transport, problem, reason])).toEqual([
      ['everything', 'http', '', 'Every session of the organization gets it.'],
      ['inside', 'stdio', '', 'Every session of the organization gets it.'],
      ['older', 'sse', '', 'Every session of the organization gets it.'],
    ]);
    expect(seen.given[0].tools).toContainEqual({ name: 'echo', description: expect.stringMatching(/\S/) });
  });

  test('goes on without those that are dead, slow, locked or somewhere private, with one warning each', async () => {
    const slow = await peer(() => undefined);
    const gone = await startToolServer(() => undefined);
    await gone.close();
    await add({ name: 'Slow', url: slow.url });
    await add({ name: 'Gone', url: gone.url });
    await add({ name: 'Locked', url: http.url, headers: { authorization: 'Bearer ${A} ${B}' } }, { A: token });
    await add({ name: 'Private', url: 'http://10.0.0.1/mcp' });
    await add({ name: 'Missing', command: 'no-such-program' });
    await add(
      {
        name: 'Quits',
        command: 'bash',
        args: ['-c', 'echo "no $QUITS_TOKEN" >&2; exit 3'],
        env: { QUITS_TOKEN: '${T}' },
      },
      { T: token },
    );
    await add({ name: 'Hangs', command: 'sleep', args: ['600'] });
    await add({ name: 'Fine', url: http.url });
    const seen = await run([call('fine__echo', { message: 'still here' })]);
    expect(seen.session.status).toBe('completed');
    expect(seen.results).toMatchObject([{ ok: true, output: 'Echo: still here' }]);
    const problems = Object.fromEntries(seen.given.map(({ slug, problem }) => [slug, problem]));
    expect(problems).toEqual({
      slow: 'It did not respond within 15 s.',
      hangs: 'It did not respond within 15 s.',
      gone: expect.stringContaining('could not be reached'),
      locked: 'Its secret B has no value. Set one.',
      private: expect.stringContaining('address is not public'),
      missing: expect.stringContaining('not found'),
      quits: 'The program ended with exit code 3: no ********',
      fine: '',
    });
    expect(seen.warnings.filter(({ code }) => code === 'tool_server_unavailable')).toHaveLength(7);
    expect(seen.everything).not.toContain(token);
  });

  test.each([
    ['a directory in the place of the file', 'mkdir -p ~/.guildhall/mcp.json'],
    ['a link into the repository', 'rm -rf ~/.guildhall; ln -s "$PWD" ~/.guildhall'],
    ['a link to a file of the repository', 'mkdir -p ~/.guildhall; ln -s "$PWD/a.txt" ~/.guildhall/mcp.json'],
  ])('goes on where the setup left %s', async (_name, setup_command) => {
    await add({ name: 'Fine', url: http.url });
    const repository = await fixture.repository({ 'a.txt': 'one\n' }, { setup_command });
    const look = { run: 'find /workspace -name mcp.json; find /workspace -name a.txt -exec cat {} +; ls /workspace' };
    const repositories = [{ repo: repository.repo }];
    const seen = await run([call('fine__echo', { message: 'here' }), look], { repositories });
    expect(seen.session.status).toBe('completed');
    expect(seen.results).toMatchObject([{ output: 'Echo: here' }, { ok: true }]);
    expect(seen.results[1]?.['output']).toMatch(/^one/);
    expect(seen.results[1]?.['output']).not.toContain('mcp');
    expect(seen.warnings).toMatchObject([{ code: 'tool_server_config' }]);
  });

  test('has those that its access allows, or that it names', async () => {
    const repository = await fixture.repository({ 'a.txt': 'one\n' });
    const all = await add({ name: 'All', url: http.url });
    await add({ name: 'Ours', url: http.url, access: 'repositories', repos: [repository.repo] });
    const other = await fixture.repository({ 'a.txt': 'one\n' });
    await add({ name: 'Theirs', url: http.url, access: 'repositories', repos: [other.repo] });
    const asked = await add({ name: 'Asked', url: http.url, access: 'on_request' });
    await add({ name: 'Off', url: http.url, enabled: false });
    const slugs = async (more: object): Promise<unknown[]> =>
      (await run([], { mode: 'ask', ...more })).given.map(({ slug }) => slug);
    expect(await slugs({ repositories: [{ repo: repository.repo }] })).toEqual(['all', 'ours']);
    expect(await slugs({ mcp_server_ids: null })).toEqual(['all']);
    expect(await slugs({ mcp_server_ids: [] })).toEqual([]);
    expect(await slugs({ mcp_server_ids: [asked] })).toEqual(['asked']);
    expect(await slugs({ mcp_server_ids: [asked, all] })).toEqual(['all', 'asked']);
  });

  test('in the mode ask has the tools alone that only look', async () => {
    const one = await peer(({ method }) =>
      method === 'tools/list'
        ? { tools: [listed('look', { annotations: { readOnlyHint: true } }), listed('touch')] }
        : says('seen'),
    );
    await add({ name: 'One', url: one.url });
    const seen = await run([call('one__look'), call('one__touch')], { mode: 'ask' });
    expect(seen.offered).toContain('one__look');
    expect(seen.offered).not.toContain('one__touch');
    expect(seen.results).toMatchObject([{ ok: true, output: 'seen' }, { ok: false }]);
  });
});

describe('a hostile tool server', () => {
  test('may give its tools any names, twice and malformed; each that fits has one of its own', async () => {
    const long = 'x'.repeat(100);
    // The fourth equals the shortened form of the first.
    const names = ['a b', 'a.b', 'a_b', 'a_b_c8687a08', 'twice', 'twice', long, `${long}y`, 'ünïcode/☃', ''];
    const one = await peer(({ method, params }) =>
      method === 'tools/list'
        ? { tools: [...names.map((name) => listed(name)), { name: 'none' }, 7, listed('huge', { description: 5 })] }
        : says(`called ${String(params['name'])}`),
    );
    await add({ name: 'One', url: one.url });
    const seen = await run([call('one__twice')]);
    const own = seen.offered.filter((name) => name.startsWith('one__'));
    expect(own).toHaveLength(8);
    expect(new Set(own).size).toBe(8);
    for (const name of own) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(seen.results).toMatchObject([{ ok: true, output: 'called twice' }]);
    expect(seen.warnings).toMatchObject([
      {
        code: 'tool_server_trimmed',
        message: 'The MCP server One (one) offers too many or invalid tools; 5 are left out.',
      },
    ]);
    expect(seen.given[0].tools.map(({ name }: { name: string }) => name)).toContain('ünïcode/☃');
  });

  test('that lists tools without an end, or far too large ones, is cut', async () => {
    let page = 0;
    const one = await peer(() => {
      page += 1;
      const large = {
        description: 'd'.repeat(100_000),
        inputSchema: { type: 'object', title: 'x'.repeat(page === 1 ? 40_000 : 1) },
      };
      return {
        tools: Array.from({ length: 7 }, (_, at) => listed(`t-${page}-${at}`, large)),
        nextCursor: String(page),
      };
    });
    await add({ name: 'One', url: one.url });
    const seen = await run([], { mode: 'ask' });
    expect(seen.session.status).toBe('completed');
    expect(seen.given[0].tools.length).toBeGreaterThan(50);
    expect(seen.given[0].tools.length).toBeLessThanOrEqual(200);
    expect(page).toBeLessThanOrEqual(50);
  });

  test('that echoes what it was told, redirects inward, answers nonsense, or far too much, shows nothing it should not', async () => {
    const inner = await peer(() => says('internal'));
    const one = await peer(({ method, params, request, response }) => {
      if (method === 'tools/list')
        return {
          tools: ['echo', 'redirect', 'nonsense', 'much', 'vanish', 'error', 'picture'].map((name) => listed(name)),
        };
      switch (params['name']) {
        case 'echo':
          return says(JSON.stringify(request.headers));
        case 'redirect':
          response.writeHead(307, { location: inner.url }).end();
          return undefined;
        case 'nonsense':
          return { content: 'none' };
        case 'much':
          return says('much '.repeat(1_000_000));
        case 'vanish':
          response.destroy();
          return undefined;
        case 'picture':
          return { content: [{ type: 'image', mimeType: 'image/svg+xml', data: 'PHN2Zy8+' }, { type: 'hologram' }] };
        default:
          return { isError: true, ...says('It does not work.') };
      }
    });
    await add(
      { name: 'One', url: one.url, headers: { authorization: 'Bearer ${T}', cookie: 'sid=${T}' } },
      { T: token },
    );
    const steps = ['echo', 'redirect', 'nonsense', 'much', 'vanish', 'error', 'picture', 'echo'].map((name) =>
      call(`one__${name}`),
    );
    const seen = await run(steps);
    const [echo, redirect, nonsense, much, vanish, error, picture, again] = seen.results;
    expect(echo).toMatchObject({ ok: true, output: expect.stringContaining('"authorization":"Bearer ********"') });
    expect(redirect).toMatchObject({ ok: false, output: expect.stringContaining('redirect') });
    expect(inner.requests).toEqual([]);
    expect(nonsense).toMatchObject({ ok: false, output: expect.stringContaining('invalid result') });
    expect(much).toMatchObject({
      ok: true,
      output: expect.stringContaining('characters left out'),
      artifact_id: expect.stringMatching(/^art_/),
    });
    expect(vanish).toMatchObject({ ok: false, output: expect.stringContaining('failed') });
    expect(error).toMatchObject({ ok: false, output: 'It does not work.' });
    expect(picture).toMatchObject({ ok: true, output: expect.stringContaining('not shown') });
    expect(again).toMatchObject({ ok: true });
    expect(seen.everything).not.toContain(token);
  });
});

describe('a connection that broke', () => {
  test('is made anew: to a server that forgot the session, and to a program that died', async () => {
    let sessions = 0;
    const one = await peer(({ method, request, response }) => {
      if (method === 'tools/list') return { tools: [listed('ask')] };
      sessions += 1;
      if (sessions > 1 || request.url !== '/') return says('here again');
      response.writeHead(404).end();
      return undefined;
    });
    await add({ name: 'One', url: one.url });
    await add({ name: 'Inside', ...everything });
    const seen = await run([
      call('one__ask'),
      call('shell', {
        command:
          "pkill -9 -f '[d]ist/index.js stdio'; while pgrep -f '[d]ist/index.js stdio'; do :; done; sleep 1; echo dead",
      }),
      call('inside__echo', { message: 'back' }),
    ]);
    expect(seen.results).toMatchObject([
      { ok: true, output: 'here again' },
      { ok: true, output: expect.stringContaining('dead') },
      { ok: true, output: 'Echo: back' },
    ]);
    expect(one.requests.filter(({ method }) => method === 'POST').length).toBeGreaterThan(5);
  });

  test('is there again in a sandbox that takes the place of another one, with the same tools and no newer', async () => {
    let lists = 0;
    const one = await peer(({ method }) => {
      if (method !== 'tools/list') return says('seen');
      lists += 1;
      return { tools: ['ask', ...(lists > 1 ? ['newer'] : [])].map((name) => listed(name)) };
    });
    await add({ name: 'One', url: one.url });
    await add({ name: 'Inside', ...everything });
    const lost = call('shell', { command: 'kill -9 $PPID; sleep 60' });
    const seen = await run([call('one__ask'), lost, call('one__ask'), call('inside__echo', { message: 'again' })]);
    expect(seen.warnings).toMatchObject([{ code: 'sandbox_replaced' }]);
    expect(seen.results.map(({ ok }) => ok)).toEqual([true, false, true, true]);
    expect(lists).toBe(2);
    expect(offeredBy(fixture.model.requests.at(-1)?.body)).toContain('one__ask');
    expect(offeredBy(fixture.model.requests.at(-1)?.body)).not.toContain('one__newer');
  });

  test('goes on in the next turn, in which nothing newer comes in', async () => {
    const one = await peer(({ method }) => (method === 'tools/list' ? { tools: [listed('ask')] } : says('seen')));
    await add({ name: 'One', url: one.url });
    const { session } = await run([call('one__ask')]);
    const before = one.requests.length;
    await add({ name: 'Later', url: one.url });
    const content = script([call('one__ask')], { say: 'Again.' });
    await fixture.api.call('POST', `/v3/organizations/default/sessions/${session.id}/messages`, { body: { content } });
    await fixture.event(session.id, ({ kind, data }) => kind === 'message' && String(data['delta']).includes('Again.'));
    await fixture.reaches(session.id, 'completed');
    const results = (await fixture.events(session.id)).filter(({ kind }) => kind === 'tool_result');
    expect(results.map(({ data }) => data['output'])).toEqual(['seen', 'seen']);
    expect(one.requests.length).toBe(before + 1);
    expect(offeredBy(fixture.model.requests.at(-1)?.body)).not.toContain('later__ask');
  });

  test('ends with the session: the server is told, and the program is gone', async () => {
    const one = await peer(({ method, response }) => {
      response.setHeader('mcp-session-id', 'session-1');
      return method === 'tools/list' ? { tools: [listed('ask')] } : says('seen');
    });
    await add({ name: 'One', url: one.url });
    await run([call('one__ask')]);
    await fixture.stopWorkers();
    expect([...one.sockets]).toEqual([]);
  });
});
