import { request as httpRequest, type IncomingMessage, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createScratch, openWorld, startPeer, type Peer, type World } from '../../test/support/gateway.ts';
import { collectGarbage } from '../../test/support/garbage.ts';
import type { McpServer } from './session.ts';

const token = 'tok-5d2c7e0b91-of-the-tools';
const egressAllow = [{ purpose: 'mcp', target: '127.0.0.0/8' }] as const;

let scratch: Awaited<ReturnType<typeof createScratch>>;
beforeEach(async () => {
  scratch = await createScratch();
});
afterEach(() => scratch.dispose());

function start(listener: RequestListener): Promise<Peer> {
  return scratch.closing(startPeer(listener));
}

function server(url: string, more: Partial<McpServer> = {}): McpServer {
  return { slug: 'tools', url, headers: { Authorization: `Bearer ${token}` }, values: [token], ...more };
}

function open(servers: McpServer[], options: Parameters<typeof openWorld>[1] & { closed?: boolean } = {}) {
  const { closed = false, ...session } = options;
  return scratch.closing(
    openWorld(
      { directory: join(scratch.path, 'doors'), egressAllow: closed ? [] : egressAllow },
      { mcpServers: () => servers, ...session },
    ),
  );
}

interface Asked {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** Sends a request as the sandbox does; the response's body is still to come. */
async function begin(world: World, path: string, { method = 'GET', headers = {}, body }: Asked = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const call = httpRequest({ host: '127.0.0.1', port: world.port, path, method, headers, agent: false }, resolve);
  call.once('error', reject);
  call.end(body);
  return { answer: await promise, call };
}

async function ask(world: World, path: string, asked?: Asked) {
  const { answer } = await begin(world, path, asked);
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

/** Sends the beginning of a message of 16 MiB, and no more. */
function halfSent(world: World, beginning: Buffer) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { 'content-length': 16 * 1024 * 1024 };
  const options = { host: '127.0.0.1', port: world.port, path: '/mcp/tools', method: 'POST', headers, agent: false };
  const call = httpRequest(options, resolve);
  call.on('error', reject);
  call.write(beginning);
  return { promise, call };
}

/** Reads a stream until it contains a text. */
async function readUntil(answer: IncomingMessage, wanted: string): Promise<string> {
  let seen = '';
  for await (const chunk of answer.iterator({ destroyOnReturn: false })) {
    seen += String(chunk);
    if (seen.includes(wanted)) return seen;
  }
  throw new Error(`the stream ended without ${wanted}: ${seen}`);
}

describe('a request to a tool server', () => {
  test("gets the configured headers, and the client's own credentials stay behind", async () => {
    let body = '';
    const peer = await start((request, response) => {
      void text(request).then((sent) => {
        body = sent;
        return response
          .writeHead(200, {
            'content-type': 'application/json',
            'mcp-session-id': 'abc',
            'set-cookie': 'a=b',
            'x-own': 'dropped',
          })
          .end('{"ok":true}');
      });
    });
    const world = await open([server(`${peer.url}/v1/mcp?team=core`)]);
    const answer = await ask(world, '/mcp/tools?ignored=yes', {
      method: 'POST',
      headers: {
        authorization: 'Bearer of-the-sandbox',
        cookie: 'a=b',
        origin: 'http://evil.example',
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-session-id': 'abc',
        'mcp-protocol-version': '2025-11-25',
        'last-event-id': '7',
        'x-forwarded-for': '10.0.0.1',
      },
      body: '{"jsonrpc":"2.0"}',
    });
    expect([answer.status, answer.body, body]).toEqual([200, '{"ok":true}', '{"jsonrpc":"2.0"}']);
    expect(answer.headers['mcp-session-id']).toBe('abc');
    expect(Object.keys(answer.headers)).not.toEqual(expect.arrayContaining(['set-cookie']));
    const [request] = peer.requests;
    expect([request?.method, request?.url]).toEqual(['POST', '/v1/mcp?team=core']);
    expect(request?.headers).toEqual({
      host: `127.0.0.1:${peer.port}`,
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      'content-length': '17',
      'mcp-session-id': 'abc',
      'mcp-protocol-version': '2025-11-25',
      'last-event-id': '7',
      connection: 'close',
    });
  });

  test('works from the worker, with the bearer of the door alone', async () => {
    const peer = await start((_request, response) => response.end('there'));
    const world = await open([server(peer.url)]);
    const { url, headers } = world.endpoint.hostMcpServer('tools');
    const answer = await fetch(url, { headers });
    expect([answer.status, await answer.text()]).toEqual([200, 'there']);
    expect(peer.requests[0]?.headers.authorization).toBe(`Bearer ${token}`);
    expect((await fetch(url)).status).toBe(403);
    expect(peer.requests).toHaveLength(1);
  });

  test('works from the sandbox as of a proxy, and with any network mode', async () => {
    const peer = await start((_request, response) => response.end('there'));
    for (const network of ['none', 'registries', 'allowlist', 'open'] as const) {
      const world = await open([server(peer.url)], { network });
      for (const path of ['/mcp/tools', `http://127.0.0.1:${world.port}/mcp/tools`])
        expect([network, path, (await ask(world, path)).body]).toEqual([network, path, 'there']);
    }
  });

  test.each(['/mcp/other', '/mcp/', '/mcp/tools/admin', '/mcp/tools/../../admin', '/mcp/TOOLS', '/mcp/tools/%2e%2e/x'])(
    '%s is 404, and nobody is asked',
    async (path) => {
      const peer = await start((_request, response) => response.end('there'));
      const world = await open([server(`${peer.url}/mcp`)]);
      expect((await ask(world, path)).status).toBe(404);
      expect(peer.requests).toEqual([]);
    },
  );

  test.each(['PUT', 'PATCH', 'OPTIONS', 'HEAD'])('%s is 405', async (method) => {
    const peer = await start((_request, response) => response.end('there'));
    const world = await open([server(peer.url)]);
    expect((await ask(world, '/mcp/tools', { method })).status).toBe(405);
    expect(peer.requests).toEqual([]);
  });

  test('a private address is refused unless the operator opened it for tool servers', async () => {
    const peer = await start((_request, response) => response.end('there'));
    const world = await open([server(peer.url)], { closed: true });
    const answer = await ask(world, '/mcp/tools', { method: 'POST', body: '{}' });
    expect([answer.status, answer.headers['x-guildhall-refused']]).toEqual([403, 'private_address']);
    expect(world.events).toMatchObject([
      { kind: 'refused', reason: 'private_address', target: `127.0.0.1:${peer.port}` },
    ]);
    expect(peer.requests).toEqual([]);
  });

  test('a run that lost its lease calls nothing', async () => {
    const peer = await start((_request, response) => response.end('there'));
    const world = await open([server(peer.url)], { holds: async () => false });
    const answer = await ask(world, '/mcp/tools', { method: 'POST', body: '{}' });
    expect([answer.status, answer.headers['x-guildhall-refused'], peer.requests]).toEqual([403, 'lease', []]);
  });

  test.each([301, 302, 303, 307, 308])('a redirect with %i is not followed, wherever it leads', async (status) => {
    const inner = await start((_request, response) => response.end('internal'));
    const peer = await start((_request, response) => response.writeHead(status, { location: inner.url }).end());
    const world = await open([server(peer.url)]);
    const answer = await ask(world, '/mcp/tools', { method: 'POST', body: '{}' });
    expect([answer.status, answer.headers['x-guildhall-refused']]).toEqual([502, 'redirect']);
    expect([answer.headers.location, answer.body.includes(inner.url), inner.requests]).toEqual([undefined, false, []]);
  });

  test('a message of 16 MiB goes through, and of one byte more it is 413', async () => {
    let bytes = 0;
    const peer = await start((request, response) => {
      request.on('data', (chunk: Buffer) => (bytes += chunk.length)).on('end', () => response.end('{}'));
    });
    const world = await open([server(peer.url)]);
    const most = Buffer.alloc(16 * 1024 * 1024, 'x');
    expect((await ask(world, '/mcp/tools', { method: 'POST', body: most })).status).toBe(200);
    expect(bytes).toBe(most.length);
    const more = await ask(world, '/mcp/tools', { method: 'POST', body: Buffer.concat([most, Buffer.from('x')]) });
    expect([more.status, peer.requests.length]).toEqual([413, 1]);
  });

  test('a message that does not say its length goes on as it comes, and is 413 above 16 MiB', async () => {
    let bytes = 0;
    const peer = await start((request, response) => {
      request.on('data', (chunk: Buffer) => (bytes += chunk.length)).on('end', () => response.end('{}'));
    });
    const world = await open([server(peer.url)]);
    const headers = { 'transfer-encoding': 'chunked' };
    expect((await ask(world, '/mcp/tools', { method: 'POST', headers, body: '{"jsonrpc":"2.0"}' })).status).toBe(200);
    expect([bytes, peer.requests[0]?.headers['content-length']]).toEqual([17, undefined]);
    const more = Buffer.alloc(16 * 1024 * 1024 + 1, 'x');
    expect((await ask(world, '/mcp/tools', { method: 'POST', headers, body: more })).status).toBe(413);
    await expect.poll(() => peer.requests[1]?.destroyed).toBe(true);
    expect(peer.requests[1]?.complete).toBe(false);
  });

  test.each<[string, Parameters<typeof open>[1], number]>([
    ['a run without its lease', { holds: async () => false }, 403],
    ['an address that is closed', { closed: true }, 403],
  ])('%s is refused before the message is there', async (_name, options, status) => {
    const peer = await start((_request, response) => response.end('there'));
    const world = await open([server(peer.url)], options);
    const answer = halfSent(world, Buffer.from('{'));
    expect([(await answer.promise).statusCode, peer.requests]).toEqual([status, []]);
    answer.call.destroy();
  });

  test('messages that are never sent whole take no memory of the gateway', async () => {
    let bytes = 0;
    const peer = await start((request) => request.on('data', (chunk: Buffer) => (bytes += chunk.length)));
    const world = await open([server(peer.url)]);
    const most = Buffer.alloc(16 * 1024 * 1024 - 1, 'x');
    const before = process.memoryUsage().arrayBuffers;
    const calls = Array.from({ length: 12 }, () => halfSent(world, most));
    for (const { promise } of calls) promise.catch(() => undefined);
    await expect.poll(() => bytes, { timeout: 30_000 }).toBe(12 * most.length);
    collectGarbage();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
    for (const { call } of calls) call.destroy();
  }, 60_000);

  test('a server that is not there is 502, and one that says something of its own cannot pass for the gateway', async () => {
    const gone = await startPeer(() => undefined);
    await gone.close();
    const peer = await start((_request, response) =>
      response.writeHead(403, { 'x-guildhall-refused': 'private_address' }).end('no'),
    );
    const world = await open([server(gone.url, { slug: 'gone' }), server(peer.url)]);
    const answer = await ask(world, '/mcp/gone');
    expect([answer.status, answer.headers['x-guildhall-refused']]).toEqual([502, 'unreachable']);
    const own = await ask(world, '/mcp/tools');
    expect([own.status, own.headers['x-guildhall-refused'], own.body]).toEqual([403, undefined, 'no']);
  });
});

describe('what a tool server answers', () => {
  test.each<[string, Record<string, string>, (words: string) => string | Buffer]>([
    ['JSON', { 'content-type': 'application/json' }, (words) => words],
    ['an event', { 'content-type': 'text/event-stream' }, (words) => `data: ${words}\n\n`],
    ['compressed', { 'content-type': 'application/json', 'content-encoding': 'gzip' }, gzipSync],
    ['compressed events', { 'content-type': 'text/event-stream', 'content-encoding': 'br' }, brotliCompressSync],
  ])('shows no secret of any server: %s', async (_name, headers, encode) => {
    const other = 'the-value-of-another-server';
    const words = JSON.stringify({ said: `Bearer ${token}`, base64: btoa(`x${token}`), other });
    const peer = await start((_request, response) =>
      response.writeHead(200, { ...headers, 'mcp-note': `it is ${token}` }).end(encode(words)),
    );
    const world = await open([server(peer.url), server(peer.url, { slug: 'other', values: [other] })]);
    const answer = await ask(world, '/mcp/tools', { method: 'POST', body: '{}' });
    expect(answer.headers['mcp-note']).toBe('it is ********');
    expect(answer.body).toContain('Bearer ********');
    for (const secret of [token, btoa(`x${token}`).slice(4, -4), other]) expect(answer.body).not.toContain(secret);
  });

  test('an encoding that cannot be looked into is 502', async () => {
    const peer = await start((_request, response) => response.writeHead(200, { 'content-encoding': 'rot13' }).end('x'));
    const world = await open([server(peer.url)]);
    expect((await ask(world, '/mcp/tools')).headers['x-guildhall-refused']).toBe('encoding');
  });

  test('events come one by one as they are sent, comments too and whatever ends the lines, and the stream ends with its reader', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const sent: ((words: string) => void)[] = [];
    const peer = await start((_request, response) => {
      response.once('close', resolve);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      sent.push((words) => response.write(words));
    });
    const world = await open([server(peer.url)]);
    const { answer, call } = await begin(world, '/mcp/tools');
    const [send] = sent;
    for (const event of [': hello\n\n', 'id: 1\r\ndata: {"a":"}"}\r\n\r\n', 'data: two\r\r', 'data: three\n\n']) {
      send?.(event.slice(0, 5));
      send?.(event.slice(5));
      const plain = event.replaceAll(/\r\n?/g, '\n');
      expect(await readUntil(answer, plain)).toBe(plain);
    }
    call.destroy();
    await closed;
  });

  test.each<[string, Record<string, string>]>([
    ['an event', { 'content-type': 'text/event-stream' }],
    ['a JSON answer', { 'content-type': 'application/json' }],
  ])('%s without an end is cut after 8 MiB', async (_name, headers) => {
    const chunk = Buffer.alloc(65_536, 'x');
    let sent = 0;
    const peer = await start((_request, response) => {
      response.writeHead(200, headers);
      const more = (): void => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    const world = await open([server(peer.url)]);
    await expect(ask(world, '/mcp/tools')).rejects.toThrow('aborted');
    expect(sent).toBeLessThan(32 * 1024 * 1024);
  });
});

describe('the older transport', () => {
  async function older(endpoint: (peer: Peer) => string, before = '') {
    const peer: Peer = await start((request, response) => {
      if (request.method === 'POST') return response.writeHead(202).end('Accepted');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return response.write(`${before}event: endpoint\ndata: ${endpoint(peer)}\n\ndata: {"first":1}\n\n`);
    });
    const world = await open([server(`${peer.url}/sse`)]);
    const { answer, call } = await begin(world, '/mcp/tools');
    const events = await readUntil(answer, '"first"');
    return { peer, world, events, end: () => call.destroy() };
  }

  test.each<[string, (peer: Peer) => string]>([
    ['relative', () => '/messages?sessionId=a%2Fb'],
    ['absolute', ({ url }) => `${url}/messages?sessionId=a%2Fb`],
  ])('an endpoint that is %s leads through the gateway to the server', async (_name, endpoint) => {
    const { peer, world, events, end } = await older(endpoint);
    const path = /^event: endpoint\ndata: (\/mcp\/tools\/[\w-]{22})\n\n/.exec(events)?.[1] ?? '';
    expect(events).not.toContain('sessionId');
    const answer = await ask(world, path, { method: 'POST', body: '{}' });
    expect([answer.status, answer.body]).toEqual([202, 'Accepted']);
    expect(peer.requests[1]?.url).toBe('/messages?sessionId=a%2Fb');
    expect(peer.requests[1]?.headers.authorization).toBe(`Bearer ${token}`);
    end();
  });

  test.each(['http://169.254.169.254/latest', 'https://127.0.0.1/x', 'file:///etc/passwd', '//evil.example/x'])(
    'the endpoint %s is none, and no request goes there',
    async (endpoint) => {
      const { events, end } = await older(() => endpoint);
      expect(events).not.toContain('event: endpoint');
      expect(events).not.toContain('/mcp/tools/');
      end();
    },
  );

  test('a byte order mark, which readers take away, takes no endpoint past the gateway to its other paths', async () => {
    const { peer, world, events, end } = await older(() => '/model/anthropic/v1/messages', '\uFEFF');
    const path = /^event: endpoint\ndata: (\/mcp\/tools\/[\w-]{22})\n\n/.exec(events)?.[1] ?? '';
    expect(events).not.toContain('anthropic');
    expect((await ask(world, path, { method: 'POST', body: '{}' })).status).toBe(202);
    expect(peer.requests[1]?.url).toBe('/model/anthropic/v1/messages');
    end();
  });

  test('events that never come to their end have 64 MiB together: the next is cut off, and the session is told', async () => {
    const peer = await start((_request, response) => {
      response.on('error', () => undefined).writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(Buffer.concat([Buffer.from('data: '), Buffer.alloc(7 * 1024 * 1024, 'x')]));
    });
    const world = await open([server(peer.url)]);
    const before = process.memoryUsage().arrayBuffers;
    const streams = await Promise.all(Array.from({ length: 10 }, () => begin(world, '/mcp/tools')));
    const cut = streams.map(({ answer }) => new Promise((resolve) => answer.once('error', resolve)));
    await Promise.any(cut);
    expect(world.events).toEqual([
      expect.objectContaining({ kind: 'refused', reason: 'tool_server', message: expect.stringContaining('64 MiB') }),
    ]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(160 * 1024 * 1024);
    for (const { call } of streams) call.on('error', () => undefined).destroy();
  }, 60_000);

  test('a server that floods its client with events is read more slowly', async () => {
    const event = 'data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n';
    const peer = await start((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(event.repeat(1_500));
    });
    const world = await open([server(peer.url)]);
    const startedAt = performance.now();
    expect((await ask(world, '/mcp/tools')).body).toBe(event.repeat(1_500));
    expect(performance.now() - startedAt).toBeGreaterThan(400);
  });

  test('an endpoint of one session is none of another', async () => {
    const { events, end } = await older(() => '/messages');
    const path = /data: (\S+)/.exec(events)?.[1] ?? '';
    const peer = await start((_request, response) => response.end('there'));
    const other = await scratch.closing(
      openWorld({ directory: join(scratch.path, 'other'), egressAllow }, { mcpServers: () => [server(peer.url)] }),
    );
    expect((await ask(other, path, { method: 'POST', body: '{}' })).status).toBe(404);
    end();
  });
});
