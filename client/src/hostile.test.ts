import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { ApiError, createClient, pages, unwrap, type ClientOptions, type FollowOptions } from './index.ts';

const sessions = '/v3/organizations/{orgId}/sessions';
const session = `${sessions}/{id}` as const;

/** Starts a server that responds as told, and records its requests. */
async function serve(answer: RequestListener) {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    answer(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { url: `http://127.0.0.1:${address.port}`, asked };
}

function clientOf(url: string, options: Partial<ClientOptions> = {}) {
  return createClient({ baseUrl: url, key: 'guild_secret', organization: 'acme', ...options });
}

function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function eventStream(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream' });
}

function event(seq: unknown): string {
  return `id: ${String(seq)}\ndata: ${JSON.stringify({ seq, kind: 'output', data: {} })}\n\n`;
}

/** Writes as long as the client reads. */
function writeForEver(response: ServerResponse, part: string): void {
  const more = (): void => {
    while (!response.destroyed) if (!response.write(part)) return;
  };
  response.on('drain', more);
  more();
}

async function failureOf(work: () => unknown): Promise<Error> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('nothing failed');
}

test.each([
  ['JSON', 200, 'application/json'],
  ['a refusal', 400, 'application/json'],
  ['a page of a proxy', 200, 'text/html'],
])('%s without an end fails at the largest size', async (_name, status, type) => {
  const { url } = await serve((_request, response) => {
    response.writeHead(status, { 'content-type': type });
    writeForEver(response, ' '.repeat(65_536));
  });
  const client = clientOf(url, { maxBytes: 1_000_000 });
  expect((await failureOf(() => client.GET('/v3/self'))).message).toMatch(/larger than 1000000 bytes/);
});

test.each(['before its answer', 'within its answer'])(
  'a server that falls silent %s fails in time, once',
  async (when) => {
    const { url, asked } = await serve((_request, response) => {
      if (when === 'within its answer') response.writeHead(200, { 'content-type': 'application/json' }).write('{');
    });
    const client = clientOf(url, { timeoutMs: 100 });
    expect((await failureOf(() => client.GET('/v3/self'))).name).toBe('TimeoutError');
    expect(asked).toHaveLength(1);
  },
);

test.each(['before its answer', 'within its answer'])(
  'a call can be aborted while the server is silent %s, after everything that could be collected was',
  async (when) => {
    const arrived = Promise.withResolvers<void>();
    const { url } = await serve((_request, response) => {
      if (when === 'within its answer') response.writeHead(200, { 'content-type': 'application/json' }).write('{');
      arrived.resolve();
    });
    const controller = new AbortController();
    const failure = failureOf(() => clientOf(url).GET(sessions, { signal: controller.signal }));
    await arrived.promise;
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('gc');
    if (typeof collect !== 'function') throw new Error('there is no gc');
    for (let round = 0; round < 5; round += 1) {
      collect();
      await new Promise((resolve) => setImmediate(resolve));
    }
    controller.abort();
    expect((await failure).name).toBe('AbortError');
  },
);

test('a call can be aborted while the organization of its key is awaited', async () => {
  const { url } = await serve(() => undefined);
  const controller = new AbortController();
  const client = clientOf(url, { organization: undefined });
  const failure = failureOf(() => client.GET(sessions, { signal: controller.signal }));
  await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
  expect((await failure).name).toBe('AbortError');
});

test('the organization of the key is asked for again when it could not be had', async () => {
  let isFirst = true;
  const { url } = await serve((_request, response) => {
    json(
      response,
      isFirst ? { error: 'internal_error', message: '' } : { organization: { id: 'org_1' } },
      isFirst ? 500 : 200,
    );
    isFirst = false;
  });
  const client = clientOf(url, { organization: undefined });
  await failureOf(() => unwrap(client.GET(sessions)));
  expect(await unwrap(client.GET(sessions))).toEqual({ organization: { id: 'org_1' } });
});

test('what changes something does not follow a redirect, and a GET leaves the key behind', async () => {
  const other = await serve((_request, response) => json(response, {}));
  const { url } = await serve((_request, response) =>
    response.writeHead(307, { location: `${other.url}/elsewhere` }).end(),
  );
  const client = clientOf(url);
  const refused = await failureOf(() => unwrap(client.POST(sessions, { body: { prompt: 'a secret' } })));
  expect(refused).toMatchObject({ status: 307, code: 'http_307' });
  expect(refused.message).toContain(`${other.url}/elsewhere`);
  expect(other.asked).toHaveLength(0);
  await unwrap(client.GET('/v3/self'));
  expect(other.asked[0]?.headers).not.toHaveProperty('authorization');
});

test('a page of HTML is no answer', async () => {
  const { url } = await serve((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Log in</h1>'),
  );
  const failure = await failureOf(() => unwrap(clientOf(url).GET('/v3/self')));
  expect(failure).toMatchObject({ name: 'ApiError', code: 'http_200' });
  expect(failure.message).toContain('text/html');
  const following = await failureOf(() => clientOf(url).followSession('ses_1').next());
  expect(following.message).toContain('text/html');
});

test('what a refusal says neither steers a terminal nor touches prototypes', async () => {
  const said = 'a\u001b]52;c;YQ==\u0007\u009b2J\u202e\u061cb\r' + 'x'.repeat(100_000);
  const { url } = await serve((_request, response) =>
    response
      .writeHead(400, { 'content-type': 'application/json' })
      .end(`{"error":"forbidden","message":${JSON.stringify(said)},"__proto__":{"polluted":true}}`),
  );
  const failure = await failureOf(() => unwrap(clientOf(url).GET('/v3/self')));
  expect(failure.message).toMatch(/^a\]52;c;YQ==2Jbx+…$/);
  expect(failure.message.length).toBeLessThan(2_001);
  expect(failure).not.toHaveProperty('polluted');
  expect({}).not.toHaveProperty('polluted');
});

test.each([[null], [7], [{ loc: [{ toString: 1 }], msg: { toString: 1 } }]])(
  'a problem that is none (%j) does not hide the refusal',
  async (problem) => {
    const { url } = await serve((_request, response) => json(response, { detail: [problem] }, 422));
    expect(await failureOf(() => unwrap(clientOf(url).GET('/v3/self')))).toMatchObject({ code: 'invalid_request' });
  },
);

test.each([
  ['999999999', 999_999_999],
  ['-5', undefined],
  ['7 days', undefined],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
])('retry-after %s is read as %s seconds', async (header, seconds) => {
  const { url, asked } = await serve((_request, response) => response.writeHead(502, { 'retry-after': header }).end());
  const failure = await failureOf(() => unwrap(clientOf(url).GET('/v3/self')));
  if (!(failure instanceof ApiError)) throw failure;
  expect(failure.retryAfter).toBe(seconds);
  expect(asked).toHaveLength(1);
});

test.each(['', '.', '..', '\ud800'])('an id %j in a path is refused before it is sent', async (id) => {
  const { url, asked } = await serve((_request, response) => json(response, {}));
  const client = clientOf(url);
  await expect(client.DELETE(session, { params: { path: { id } } })).rejects.toThrow(/path parameter id/);
  expect(() => client.followSession(id)).toThrow(/path parameter sessionId/);
  expect(() => clientOf(url, { organization: id })).toThrow(/path parameter organization/);
  expect(asked).toHaveLength(0);
});

test('whatever else an id holds stays one segment, and a query is left as it is', async () => {
  const { url, asked } = await serve((_request, response) => json(response, {}));
  const client = clientOf(url);
  await client.GET(session, { params: { path: { id: '../a?b#c%2f{orgId}' } } });
  await client.GET(sessions, { params: { path: { orgId: 'org_1' }, query: { search: '{orgId}' } } });
  expect(asked.map((request) => request.url)).toEqual([
    '/v3/organizations/acme/sessions/..%2Fa%3Fb%23c%252f%7BorgId%7D',
    '/v3/organizations/org_1/sessions?search=%7BorgId%7D',
  ]);
});

test.each([
  ['http://me:hunter2@127.0.0.1', /user or password/],
  ['http://127.0.0.1/?a=b', /query or fragment/],
  ['file:///etc', /must start with http/],
  ['127.0.0.1:7420', /must be a URL|must start with http/],
])('the base URL %s is refused', (baseUrl, problem) => {
  const make = (): unknown => createClient({ baseUrl, key: 'guild_secret' });
  expect(make).toThrow(problem);
  expect(make).not.toThrow(/hunter2/);
});

test('a key that no header can hold is refused without telling it', () => {
  const make = (): unknown => createClient({ baseUrl: 'http://127.0.0.1', key: 'guild_a\nb' });
  expect(make).toThrow(/must be an API key/);
  expect(make).not.toThrow(/guild_a/);
});

test.each([
  ['stay', () => 'same'],
  ['go in a circle', (page: number) => String(page % 7)],
  ['begin again', () => ''],
])('pages whose cursors %s are an error', async (_name, cursorOf) => {
  let page = 0;
  const { url } = await serve((_request, response) => {
    page += 1;
    json(response, { items: [], end_cursor: cursorOf(page), has_next_page: true, total: 1 });
  });
  const client = clientOf(url);
  const list = pages((after) => client.GET(sessions, { params: { query: { after } } }));
  expect((await failureOf(() => list.next())).message).toContain('never ends');
  expect(page).toBeLessThan(30);
});

async function firstOf(url: string, options: FollowOptions = {}): Promise<unknown> {
  const events = clientOf(url).followSession('ses_1', options);
  try {
    return (await events.next()).value;
  } finally {
    await events.return();
  }
}

test('a line of a stream that does not end is an error, whatever its parts', async () => {
  const { url } = await serve((_request, response) => {
    eventStream(response).write('data: ');
    writeForEver(response, 'x'.repeat(8_192));
  });
  expect((await failureOf(() => firstOf(url))).message).toContain('without the end of an event');
});

test.each([
  ['no JSON', 'data: <h1>\u001b[2J\n\n'],
  ['nothing', 'data\n\n'],
  ['no number', event('1\n')],
  ['a number beyond all', event(1e300)],
  ['no data', 'id: 1\ndata: {"seq":1,"kind":"status","data":null}\n\n'],
])('a message of a stream with %s is an error, not a reason to connect again', async (_name, message) => {
  const { url, asked } = await serve((_request, response) => eventStream(response).write(message));
  const { message: said } = await failureOf(() => firstOf(url));
  expect(said).toContain('an invalid event');
  expect(said).not.toContain('\u001b');
  expect(asked).toHaveLength(1);
});

test('a million empty events and lines in parts are no obstacle', async () => {
  const { url } = await serve((_request, response) => {
    eventStream(response).write('\n'.repeat(1_000_000));
    const [half, rest] = [event(1).slice(0, 20), event(1).slice(20)];
    response.write(half, () => response.write(rest));
  });
  expect(await firstOf(url)).toMatchObject({ seq: 1 });
});

test('a server that asks for years of patience is asked again within a minute, and the reason is told', async () => {
  const { url, asked } = await serve((_request, response) => {
    const body = { error: 'capacity_unavailable', message: 'full' };
    response
      .writeHead(503, { 'content-type': 'application/json', 'retry-after': '999999999' })
      .end(JSON.stringify(body));
  });
  const controller = new AbortController();
  const lost: unknown[] = [];
  const onLost = (reason: unknown, delayMs: number): void => {
    lost.push([reason, delayMs]);
    controller.abort();
  };
  expect(await firstOf(url, { signal: controller.signal, onLost })).toBeUndefined();
  expect(lost).toEqual([[expect.objectContaining({ code: 'capacity_unavailable' }), 60_000]]);
  expect(asked).toHaveLength(1);
});
