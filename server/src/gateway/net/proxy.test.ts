import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { createServer as createTcpServer, connect, type Socket } from 'node:net';
import { get as httpGet, request as httpRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { collectGarbage } from '../../../test/support/garbage.ts';
import { createScratch, openWorld, startPeer, type Peer, type World } from '../../../test/support/gateway.ts';
import type { Lookup } from './dial.ts';
import type { GatewaySession } from '../session.ts';

let scratch: Awaited<ReturnType<typeof createScratch>>;
/** The server that must not be reached. */
let internal: Peer;

beforeEach(async () => {
  scratch = await createScratch();
  internal = await scratch.closing(startPeer((_request, response) => response.end('internal')));
});

afterEach(() => scratch.dispose());

const loopback: Lookup = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);

function open(session: Partial<GatewaySession>, options: Partial<Parameters<typeof openWorld>[0]> = {}) {
  return scratch.closing(
    openWorld({ directory: join(scratch.path, 'doors'), ...options }, { network: 'open', ...session }),
  );
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

function throughProxy(
  world: World,
  target: string,
  options: { method?: string; headers?: Record<string, string | string[]>; body?: string } = {},
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const call = httpRequest({
    host: '127.0.0.1',
    port: world.port,
    path: target,
    method: options.method ?? 'GET',
    headers: options.headers ?? {},
  });
  call.on('error', reject);
  call.on('response', (response) => {
    let body = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => (body += chunk));
    response.on('error', reject);
    response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
  });
  call.end(options.body);
  return promise;
}

async function tunnel(world: World, authority: string) {
  const call = httpRequest({ host: '127.0.0.1', port: world.port, method: 'CONNECT', path: authority });
  call.end();
  const { promise, resolve, reject } = Promise.withResolvers<{ response: IncomingMessage; socket: Socket }>();
  call.on('connect', (response: IncomingMessage, socket: Socket) => resolve({ response, socket }));
  call.on('error', reject);
  return promise;
}

async function tunnelStatus(world: World, authority: string): Promise<[number | undefined, unknown]> {
  const { response, socket } = await tunnel(world, authority);
  socket.destroy();
  return [response.statusCode, response.headers['x-guildhall-refused']];
}

describe('network modes', () => {
  test.each([
    ['none', 'network_none'],
    ['registries', 'network_registries'],
    ['allowlist', 'host_not_allowed'],
  ] as const)('%s refuses with a reason', async (network, reason) => {
    const world = await open({ network, allowedHosts: ['good.example'] }, { lookup: loopback });
    const answer = await throughProxy(world, `http://bad.example:${internal.port}/`);
    expect([answer.status, answer.headers['x-guildhall-refused']]).toEqual([403, reason]);
    expect(answer.body).toMatch(/^bad\.example:\d+ is not reachable: .+\.\n$/);
    expect(await tunnelStatus(world, 'bad.example:443')).toEqual([403, reason]);
    expect(world.events).toMatchObject([
      { kind: 'refused', reason, target: `bad.example:${internal.port}` },
      { kind: 'refused', reason, target: 'bad.example:443' },
    ]);
    expect(internal.requests).toHaveLength(0);
  });

  test('a refusal is told once, and no more than 200 different ones', async () => {
    const world = await open({ network: 'none' });
    for (let port = 1; port <= 210; port += 1) await tunnelStatus(world, `example.org:${port}`);
    for (let time = 0; time < 3; time += 1) await tunnelStatus(world, 'example.org:1');
    expect(world.events).toHaveLength(200);
    expect(new Set(world.events.map((event) => event.kind === 'refused' && event.target)).size).toBe(200);
  });

  test('an allowed and opened host is reached under its own name', async () => {
    const world = await open(
      { network: 'allowlist', allowedHosts: [`*.corp.example:${internal.port}`] },
      { lookup: loopback, egressAllow: [{ purpose: 'http', target: `wiki.corp.example:${internal.port}` }] },
    );
    const url = `http://wiki.corp.example:${internal.port}/a%2Fb?c=d`;
    expect(await throughProxy(world, url)).toMatchObject({ status: 200, body: 'internal' });
    expect(internal.requests[0]?.url).toBe('/a%2Fb?c=d');
    expect(internal.requests[0]?.headers.host).toBe(`wiki.corp.example:${internal.port}`);
    expect((await throughProxy(world, `http://mail.corp.example:${internal.port}/`)).status).toBe(403);
    expect(internal.requests).toHaveLength(1);
  });

  test('a change of mode cuts open tunnels', async () => {
    const world = await open({}, { lookup: loopback, egressAllow: [{ purpose: 'http', target: '127.0.0.0/8' }] });
    const { response, socket } = await tunnel(world, `a.example:${internal.port}`);
    expect(response.statusCode).toBe(200);
    const closed = once(socket, 'close');
    world.endpoint.setNetwork('none');
    await closed;
    expect(await tunnelStatus(world, `a.example:${internal.port}`)).toEqual([403, 'network_none']);
  });
});

describe('private addresses', () => {
  const literals = (port: number) => [
    `127.0.0.1:${port}`,
    `2130706433:${port}`,
    `0x7f000001:${port}`,
    `017700000001:${port}`,
    `127.1:${port}`,
    `0x7f.1:${port}`,
    `0:${port}`,
    `0.0.0.0:${port}`,
    `[::1]:${port}`,
    `[::]:${port}`,
    `[::ffff:127.0.0.1]:${port}`,
    `[::ffff:7f00:1]:${port}`,
    `[::127.0.0.1]:${port}`,
    `[64:ff9b::7f00:1]:${port}`,
    `[2002:7f00:1::]:${port}`,
    `１２７.０.０.１:${port}`,
    `127.0.0.1.:${port}`,
    `%31%32%37.0.0.1:${port}`,
    '169.254.169.254:80',
    '[fd00:ec2::254]:80',
    '10.0.0.1:80',
    '100.64.0.1:80',
  ];

  test('are refused in every spelling, in CONNECT and in absolute form', async () => {
    const world = await open({});
    for (const authority of literals(internal.port)) {
      const ascii = authority.replace('１２７.０.０.１', '%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1');
      expect([authority, ...(await tunnelStatus(world, ascii))]).toEqual([authority, 403, 'private_address']);
      expect([authority, (await throughProxy(world, `http://${ascii}/`)).status]).toEqual([authority, 403]);
    }
    expect(internal.requests).toHaveLength(0);
  });

  test.each([
    ['a private IPv4 address', ['127.0.0.1']],
    ['a private IPv6 address', ['::1']],
    ['an IPv4 address in IPv6', ['::ffff:127.0.0.1']],
    ['several private addresses', ['10.0.0.1', '127.0.0.1', 'fe80::1%lo']],
    ['something that is no address', ['localhost']],
  ])('a name that resolves to %s is refused', async (_name, addresses) => {
    const lookup: Lookup = () => Promise.resolve(addresses.map((address) => ({ address, family: 4 })));
    const world = await open({}, { lookup });
    expect((await throughProxy(world, `http://evil.example:${internal.port}/`)).status).toBe(403);
    expect(await tunnelStatus(world, `evil.example:${internal.port}`)).toEqual([403, 'private_address']);
    expect(internal.requests).toHaveLength(0);
  });

  test('localhost by name is refused with the real resolver', async () => {
    const world = await open({}, { lookup: undefined });
    for (const name of ['localhost', 'localhost.', 'LOCALHOST'])
      expect(await tunnelStatus(world, `${name}:${internal.port}`)).toEqual([403, 'private_address']);
  });

  test('of a name with public and private addresses only the public ones are dialled', async () => {
    const lookup: Lookup = () =>
      Promise.resolve([
        { address: '127.0.0.1', family: 4 },
        { address: '127.0.0.2', family: 4 },
      ]);
    const other = await scratch.closing(startPeer((_request, response) => response.end('other'), '127.0.0.2'));
    const world = await open({}, { lookup, egressAllow: [{ purpose: 'http', target: '127.0.0.2' }] });
    expect((await throughProxy(world, `http://two.example:${other.port}/`)).body).toBe('other');
    expect((await throughProxy(world, `http://two.example:${internal.port}/`)).status).toBe(502);
    expect(internal.requests).toHaveLength(0);
  });

  test('a name that changes its answer after the check is not asked again', async () => {
    const asked: string[] = [];
    const answers = ['127.0.0.2', '127.0.0.1', '127.0.0.2', '127.0.0.1'];
    const lookup: Lookup = (name) => {
      asked.push(name);
      return Promise.resolve([{ address: answers[asked.length - 1] ?? '127.0.0.1', family: 4 }]);
    };
    const world = await open({}, { lookup, egressAllow: [{ purpose: 'http', target: '127.0.0.2' }] });
    const url = `http://rebind.example:${internal.port}/`;
    expect((await throughProxy(world, url)).status).toBe(502);
    expect((await throughProxy(world, url)).status).toBe(403);
    expect((await tunnelStatus(world, `rebind.example:${internal.port}`))[0]).toBe(502);
    expect((await tunnelStatus(world, `rebind.example:${internal.port}`))[0]).toBe(403);
    expect(asked).toHaveLength(4);
    expect(internal.requests).toHaveLength(0);
  });

  test('a redirect is handed to the client, whose next request is judged like any other', async () => {
    const other = await scratch.closing(
      startPeer((_request, response) => {
        response.writeHead(302, { location: `http://127.0.0.1:${internal.port}/` }).end();
      }, '127.0.0.2'),
    );
    const world = await open({}, { egressAllow: [{ purpose: 'http', target: '127.0.0.2' }] });
    const first = await throughProxy(world, `http://127.0.0.2:${other.port}/`);
    expect(first.status).toBe(302);
    expect((await throughProxy(world, first.headers.location ?? '')).status).toBe(403);
    expect(internal.requests).toHaveLength(0);
  });

  test('a Host header leads nowhere else', async () => {
    const other = await scratch.closing(startPeer((_request, response) => response.end('other'), '127.0.0.2'));
    const world = await open({}, { egressAllow: [{ purpose: 'http', target: '127.0.0.2' }] });
    const headers = { host: `127.0.0.1:${internal.port}` };
    expect((await throughProxy(world, `http://127.0.0.2:${other.port}/`, { headers })).body).toBe('other');
    expect(other.requests[0]?.headers.host).toBe(`127.0.0.2:${other.port}`);
    expect((await throughProxy(world, '/', { headers })).status).toBe(404);
    expect(internal.requests).toHaveLength(0);
  });
});

describe('a door with a purpose of its own', () => {
  test('dials only hosts that are opened for it, and has no path of the gateway', async () => {
    const open8 = (purpose: 'http' | 'browser') => [{ purpose, target: '127.0.0.0/8' }] as const;
    const browser = await open({ purpose: 'browser' }, { egressAllow: open8('browser') });
    expect((await throughProxy(browser, `${internal.url}/`)).body).toBe('internal');
    expect(await tunnelStatus(browser, `127.0.0.1:${internal.port}`)).toEqual([200, undefined]);
    const other = await open({ purpose: 'browser' }, { egressAllow: open8('http') });
    expect((await throughProxy(other, `${internal.url}/`)).status).toBe(403);
    for (const path of [
      '/npm/left-pad',
      '/pip/simple/x/',
      '/git/local/a/b.git/info/refs',
      '/model/openai/v1',
      '/api/',
    ]) {
      expect([path, (await throughProxy(other, path)).status]).toEqual([path, 404]);
      expect([path, (await throughProxy(other, `http://127.0.0.1${path}`)).status]).toEqual([path, 403]);
    }
  });
});

describe('forwarding', () => {
  const everything = [{ purpose: 'http', target: '127.0.0.0/8' }] as const;

  test('hop-by-hop and proxy headers stay behind, the others and the body arrive', async () => {
    const bodies: string[] = [];
    const peer = await scratch.closing(
      startPeer((request, response) => {
        let body = '';
        request.on('data', (chunk: Buffer) => (body += chunk.toString()));
        request.on('end', () => {
          bodies.push(body);
          response.setHeader('set-cookie', ['a=1', 'b=2']);
          response.setHeader('proxy-authenticate', 'Basic');
          response.setHeader('connection', 'x-hop');
          response.setHeader('x-hop', '1');
          response.writeHead(201).end('made');
        });
      }),
    );
    const world = await open({}, { egressAllow: everything });
    const answer = await throughProxy(world, `${peer.url}/x`, {
      method: 'POST',
      body: 'hello',
      headers: {
        'proxy-authorization': 'Basic secret',
        'proxy-connection': 'keep-alive',
        connection: 'keep-alive, x-private',
        'x-private': '1',
        'x-kept': '2',
        te: 'trailers',
        authorization: 'Bearer mine',
      },
    });
    expect(answer).toMatchObject({ status: 201, body: 'made', headers: { 'set-cookie': ['a=1', 'b=2'] } });
    expect(Object.keys(answer.headers)).not.toEqual(expect.arrayContaining(['proxy-authenticate']));
    expect(Object.keys(answer.headers)).not.toEqual(expect.arrayContaining(['x-hop']));
    const seen = peer.requests[0]?.headers ?? {};
    expect(seen).toMatchObject({ 'x-kept': '2', authorization: 'Bearer mine' });
    for (const name of ['proxy-authorization', 'proxy-connection', 'x-private', 'te'])
      expect(seen).not.toHaveProperty(name);
    expect(bodies).toEqual(['hello']);
  });

  test('a chunked body of a DELETE stays one request', async () => {
    const peer = await scratch.closing(
      startPeer((request, response) => {
        request.resume();
        request.on('end', () => response.end('done'));
      }),
    );
    const world = await open({}, { egressAllow: everything });
    const body = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
    const headers = { 'transfer-encoding': 'chunked' };
    expect((await throughProxy(world, `${peer.url}/x`, { method: 'DELETE', body, headers })).body).toBe('done');
    expect(peer.requests.map((request) => request.url)).toEqual(['/x']);
  });

  test.each(['GET', 'DELETE', 'POST'])(
    'the body of a %s stays its body when its length is called hop-by-hop',
    async (method) => {
      const bodies: string[] = [];
      const peer = await scratch.closing(
        startPeer((request, response) => {
          let read = '';
          request.on('data', (chunk: Buffer) => (read += chunk.toString()));
          request.on('end', () => {
            bodies.push(read);
            response.end('done');
          });
        }),
      );
      const world = await open({}, { egressAllow: everything });
      const body = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
      const headers = { connection: 'Content-Length', 'content-length': String(body.length) };
      expect((await throughProxy(world, `${peer.url}/x`, { method, body, headers })).body).toBe('done');
      expect(bodies).toEqual([body]);
      expect(peer.requests.map((request) => request.url)).toEqual(['/x']);
    },
  );

  test.each(['https://example.org/', 'ftp://example.org/', 'http://user:word@example.org/'])(
    '%s in absolute form is refused',
    async (url) => {
      const world = await open({});
      const answer = await throughProxy(world, url);
      expect([answer.status, answer.headers['x-guildhall-refused']]).toEqual([403, 'invalid_target']);
    },
  );

  test('what does not answer or does not exist is a 502 with the name', async () => {
    const world = await open({}, { egressAllow: everything });
    const { port } = await startPeer(() => {}).then(async (peer) => {
      await peer.close();
      return peer;
    });
    expect(await throughProxy(world, `http://127.0.0.1:${port}/`)).toMatchObject({
      status: 502,
      body: `127.0.0.1:${port} could not be reached, or the connection broke.\n`,
    });
    expect((await throughProxy(world, 'http://nowhere.example/')).body).toBe(
      'The name nowhere.example could not be resolved.\n',
    );
    expect((await tunnelStatus(world, `127.0.0.1:${port}`))[0]).toBe(502);
  });

  test('a large body streams in constant memory', async () => {
    const size = 256 * 1024 * 1024;
    const block = Buffer.alloc(1024 * 1024, 7);
    const peer = await scratch.closing(
      startPeer((_request, response) => {
        let left = size;
        const more = (): void => {
          while (left > 0) {
            left -= block.length;
            if (!response.write(block)) return void response.once('drain', more);
          }
          response.end();
        };
        more();
      }),
    );
    const world = await open({}, { egressAllow: everything });
    const held = (): number => {
      collectGarbage();
      return process.memoryUsage().heapUsed + process.memoryUsage().external;
    };
    const before = held();
    let peak = 0;
    let received = 0;
    let nextLook = 0;
    const hash = createHash('sha256');
    const call = httpGet({ host: '127.0.0.1', port: world.port, path: `${peer.url}/big` });
    const [response] = await once(call, 'response');
    for await (const chunk of response) {
      received += chunk.length;
      hash.update(chunk);
      if (received < nextLook) continue;
      nextLook = received + size / 16;
      peak = Math.max(peak, held() - before);
    }
    expect(received).toBe(size);
    expect(peak).toBeLessThan(16 * 1024 * 1024);
  });

  test('a client that goes away frees the upstream, of a request and of a tunnel', async () => {
    const peer = await scratch.closing(
      startPeer((_request, response) => {
        response.writeHead(200);
        response.write('begun');
      }),
    );
    const world = await open({}, { egressAllow: everything });
    const call = httpGet({ host: '127.0.0.1', port: world.port, path: `${peer.url}/` });
    call.on('error', () => {});
    await once(call, 'response');
    expect(peer.sockets.size).toBe(1);
    call.destroy();
    await expect.poll(() => peer.sockets.size).toBe(0);
    const { socket } = await tunnel(world, `127.0.0.1:${peer.port}`);
    await expect.poll(() => peer.sockets.size).toBe(1);
    socket.destroy();
    await expect.poll(() => peer.sockets.size).toBe(0);
  });

  test('an upstream that breaks off breaks the answer off', async () => {
    const peer = await scratch.closing(
      startPeer((request, response) => {
        response.writeHead(200, { 'content-length': 100 });
        response.write('half', () => request.socket.destroy());
      }),
    );
    const world = await open({}, { egressAllow: everything });
    await expect(throughProxy(world, `${peer.url}/`)).rejects.toThrow('aborted');
  });

  test('a tunnel carries bytes both ways, also after one side has finished', async () => {
    const server = createTcpServer({ allowHalfOpen: true }, (socket) => {
      let heard = '';
      socket.on('data', (chunk: Buffer) => (heard += chunk.toString()));
      socket.on('end', () => socket.end(`heard ${heard}`));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const world = await open({}, { egressAllow: everything });
    const client = connect({ port: world.port, host: '127.0.0.1', allowHalfOpen: true });
    client.end(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: x\r\n\r\nearly bytes`);
    let answer = '';
    for await (const chunk of client) answer += String(chunk);
    expect(answer).toBe('HTTP/1.1 200 Connection Established\r\n\r\nheard early bytes');
    await new Promise((resolve) => server.close(resolve));
  });

  test('a session has so many connections and no more', async () => {
    const world = await open({});
    const sockets = Array.from({ length: 256 }, () => connect({ path: world.endpoint.socketPath }));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const extra = connect({ path: world.endpoint.socketPath });
    extra.on('error', () => {});
    await once(extra, 'close');
    for (const socket of sockets) socket.destroy();
    await expect.poll(async () => (await throughProxy(world, '/').catch(() => undefined))?.status).toBe(404);
  });

  test.each([
    ['a request without a meaning', 'BLA\r\n\r\n', '400'],
    ['a header without an end', `GET / HTTP/1.1\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`, '431'],
    ['a CONNECT to no port', 'CONNECT example.org HTTP/1.1\r\nHost: x\r\n\r\n', '403'],
    ['a target of its own kind', 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n', '400'],
  ])('%s is answered and not forwarded', async (_name, text, status) => {
    const world = await open({});
    const client = connect({ path: world.endpoint.socketPath });
    client.write(text);
    const [chunk] = await once(client, 'data');
    expect(String(chunk)).toContain(`HTTP/1.1 ${status} `);
    client.destroy();
  });
});

describe("the gateway's own paths", () => {
  test('are served to a client that sends even them through the proxy', async () => {
    const world = await open({ network: 'registries' });
    const answer = await throughProxy(world, `${world.inside}/git/local/a/b.git/info/refs`);
    expect(answer).toMatchObject({ status: 404, body: 'This session has no such repository.\n' });
    expect((await throughProxy(world, `http://127.0.0.1:${internal.port}/`)).status).toBe(403);
    expect(internal.requests).toHaveLength(0);
  });
});
