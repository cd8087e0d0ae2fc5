import { get as httpGet, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMask } from '../lib/mask/mask.ts';
import { createScratch, openWorld, startPeer, type Peer, type World } from '../../test/support/gateway.ts';

const key = 'Bearer guild_of_the_session';
let scratch: Awaited<ReturnType<typeof createScratch>>;
let api: Peer;
let world: World;

beforeEach(async () => {
  scratch = await createScratch();
  api = await scratch.closing(
    startPeer((request, response) => {
      if (request.url?.endsWith('/stream') === true) {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('id: 1\n\n');
        return;
      }
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const status = request.method === 'POST' ? 201 : 200;
        response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_1' });
        response.end(JSON.stringify({ url: request.url, body: Buffer.concat(parts).toString() }));
      });
    }),
  );
  world = await scratch.closing(
    openWorld({ directory: `${scratch.path}/g` }, { api: { url: `${api.url}/base`, authorization: async () => key } }),
  );
});
afterEach(() => scratch.dispose());

describe("a sandbox's way to the API", () => {
  test('is named in its environment, without the key', async () => {
    const environment = await world.endpoint.environment(world.inside);
    expect(environment).toMatchObject({ GUILDHALL_URL: `${world.inside}/api`, GUILDHALL_SESSION_ID: 'ses_test' });
    expect(JSON.stringify(environment)).not.toContain('guild_');
  });

  test('masks what others may read of a child, and keeps the secrets that it is given', async () => {
    const value = 'tok-"5f2e8c1b9a7d';
    const masking = await scratch.closing(
      openWorld(
        { directory: `${scratch.path}/m` },
        { api: { url: api.url, authorization: async () => key }, mask: () => createMask([value]) },
      ),
    );
    const url = `${masking.inside}/api/v3/organizations/org_1/sessions`;
    const headers = { 'content-type': 'application/json' };
    const bodyOf = async (body: string): Promise<unknown> =>
      Object(await (await fetch(url, { method: 'POST', headers, body })).json()).body;
    const session_secrets = [{ key: 'TOKEN', value }];
    const child = { prompt: `Use ${value}.`, metadata: { [value]: [value, 1, null] }, session_secrets };
    expect(JSON.parse(String(await bodyOf(JSON.stringify(child))))).toEqual({
      prompt: 'Use ********.',
      metadata: { '********': ['********', 1, null] },
      session_secrets,
    });
    expect(await bodyOf('{"prompt": ')).toBe('{"prompt": ');
    const large = await fetch(url, { method: 'POST', headers, body: 'x'.repeat(1_048_577) });
    expect([large.status, api.requests.length]).toEqual([413, 2]);
  });

  test('adds the key, passes the request and its answer on, and nothing else', async () => {
    const answer = await fetch(`${world.inside}/api/v3/organizations/org_1/sessions?first=1`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer guild_of_somebody_else',
        cookie: 'guildhall=x',
        'content-type': 'application/json',
        'idempotency-key': 'once',
        'x-forwarded-for': '10.0.0.1',
        'x-guildhall-organization': 'org_2',
      },
      body: '{"prompt":"x"}',
    });
    expect([answer.status, answer.headers.get('x-request-id')]).toEqual([201, 'req_1']);
    expect(await answer.json()).toEqual({
      url: '/base/v3/organizations/org_1/sessions?first=1',
      body: '{"prompt":"x"}',
    });
    const { headers } = api.requests[0] ?? {};
    expect(headers).toMatchObject({
      authorization: key,
      'content-type': 'application/json',
      'content-length': '14',
      'idempotency-key': 'once',
      host: new URL(api.url).host,
    });
    for (const name of ['cookie', 'x-forwarded-for', 'x-guildhall-organization'])
      expect([name, headers?.[name]]).toEqual([name, undefined]);
  });

  test('streams, and ends with the door', async () => {
    const answer = await fetch(`${world.inside}/api/v3/organizations/org_1/sessions/ses_1/events/stream`);
    const reader = answer.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('id: 1\n\n');
    const ended = expect(reader?.read()).rejects.toThrow();
    await world.endpoint.close();
    await ended;
  });

  test.each([
    '/api/v3/auth/sign-in',
    '/api/v3/invites/x/accept',
    '/api/v3/hooks/hook_1',
    '/api/v3/selfish',
    '/api/agents',
    '/api/openapi.json',
    '/api/mcp',
    '/api/git/default/acme/x.git/info/refs',
    '/api/v3/organizations/../auth/sign-in',
    '/api/v3/organizations/%2e%2e/auth/sign-in',
    '/api//v3/self',
    '/api/',
  ])('leads nowhere at %s', async (path) => {
    expect(await statusOf(path)).toBe(404);
    expect(api.requests).toEqual([]);
  });

  test('is there for a client that takes the gateway for its proxy', async () => {
    expect(await statusOf(`${world.inside}/api/v3/self`)).toBe(200);
  });

  test('says that the API is away, and not where it is', async () => {
    await api.close();
    const answer = await fetch(`${world.inside}/api/v3/self`);
    expect([answer.status, await answer.text()]).toEqual([
      502,
      'The API could not be reached, or the connection broke.\n',
    ]);
  });

  test('does not exist for a session without one', async () => {
    const other = await scratch.closing(openWorld({ directory: `${scratch.path}/h` }));
    expect((await fetch(`${other.inside}/api/v3/self`)).status).toBe(404);
    expect(await other.endpoint.environment(other.inside)).not.toHaveProperty('GUILDHALL_URL');
  });
});

/** Sends the path unchanged; `fetch` would normalize it. */
async function statusOf(path: string): Promise<number | undefined> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    httpGet({ host: '127.0.0.1', port: world.port, path }, resolve).on('error', reject);
  });
  answer.resume();
  return answer.statusCode;
}
