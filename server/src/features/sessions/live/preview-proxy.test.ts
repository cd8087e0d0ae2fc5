import { connect, createServer, type Server, type Socket } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { messageOf } from '../../../lib/errors.ts';
import { headersInside, headersOutside, locationOutside } from './preview-headers.ts';
import { proxyRequest, type PreviewLimits } from './preview-proxy.ts';

const limits: PreviewLimits = {
  requestBytes: 1_000_000,
  responseBytes: 3_000_000,
  headMs: 1_000,
  exchangeMs: 4_000,
  silentMs: 2_000,
};

/** Behaviour of the server in the sandbox on a connection, once it got a request. */
let behave: (socket: Socket) => void;
let inside: Server;
let app: FastifyInstance;
let url: string;
const open = new Set<Socket>();

beforeAll(async () => {
  inside = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => open.delete(socket));
    socket.once('data', () => behave(socket));
  });
  await new Promise<void>((resolve) => void inside.listen(0, '127.0.0.1', resolve));
  const address = inside.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  app = Fastify({ exposeHeadRoutes: false, forceCloseConnections: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.setErrorHandler((error, _request, reply) => void reply.code(502).send({ message: messageOf(error) }));
  app.route({
    method: ['GET', 'POST'],
    url: '/*',
    handler: async (request, reply) => {
      const link = connect(port, '127.0.0.1');
      const signal = new AbortController().signal;
      try {
        await proxyRequest(request, reply, { port, path: '/', prefix: '/p', link, signal }, limits);
      } finally {
        link.destroy();
      }
      return reply;
    },
  });
  url = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  for (const socket of open) socket.destroy();
  inside.close();
  await app.close();
});

async function ask(behaviour: (socket: Socket) => void, init: RequestInit = {}): Promise<[number, string, number]> {
  behave = behaviour;
  const startedAt = performance.now();
  try {
    const answer = await fetch(url, init);
    const text = await answer.text().catch(() => 'cut off');
    return [answer.status, text.slice(0, 500), performance.now() - startedAt];
  } catch (error) {
    return [0, messageOf(error), performance.now() - startedAt];
  }
}

describe('a hostile server in a sandbox', () => {
  test('that never ends its headers, by silence, byte by byte or by more and more of them, is given up', async () => {
    const [silent, , silentMs] = await ask(() => undefined);
    expect([silent, silentMs < 3_000]).toEqual([502, true]);
    const [dripping, , drippingMs] = await ask((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx-long: ');
      const timer = setInterval(() => socket.write('x'), 50);
      socket.once('close', () => clearInterval(timer));
    });
    expect([dripping, drippingMs < 3_000]).toEqual([502, true]);
    const [more] = await ask((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write(`x-${'y'.repeat(5_000)}: z\r\n`), 5);
      socket.once('close', () => clearInterval(timer));
    });
    expect(more).toBe(502);
    const [interim] = await ask((socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 100 Continue\r\n\r\n'), 5);
      socket.once('close', () => clearInterval(timer));
    });
    expect(interim).toBe(502);
    await expect.poll(() => open.size).toBe(0);
  });

  test('that speaks something else, or hangs up, is a bad gateway', async () => {
    for (const text of [
      'SSH-2.0-OpenSSH_9.2\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\nabc',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
      '\0\0\0\0',
    ])
      expect((await ask((socket) => socket.end(text)))[0]).toBe(502);
    expect((await ask((socket) => socket.destroy()))[0]).toBe(502);
  });

  test('that sends for ever is cut off at the limit, and one that stops is cut off in time', async () => {
    const [status, text] = await ask((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n');
      const zeros = Buffer.alloc(65_536);
      const more = (): void => {
        while (!socket.destroyed && socket.write(zeros));
      };
      socket.on('drain', more);
      more();
    });
    expect([status, text]).toEqual([200, 'cut off']);
    const [, stopped, stoppedMs] = await ask((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc');
    });
    expect([stopped, stoppedMs < 6_000]).toEqual(['cut off', true]);
    const [, endless, endlessMs] = await ask((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n');
      const timer = setInterval(() => socket.write(': x\n\n'), 200);
      socket.once('close', () => clearInterval(timer));
    });
    expect([endless, endlessMs < 8_000]).toEqual(['cut off', true]);
  });

  test('that answers before it has read the request is heard, and a request that is too large is refused', async () => {
    const early = await ask((socket) => socket.end('HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nno'), {
      method: 'POST',
      body: Buffer.alloc(900_000),
    });
    expect(early.slice(0, 2)).toEqual([413, 'no']);
    const large = await ask(() => undefined, { method: 'POST', body: Buffer.alloc(1_100_000) });
    expect([large[0], large[1]]).toEqual([502, expect.stringContaining('at most 1000000 bytes')]);
  });
});

test('headers pass by a list: nothing that identifies the caller in, nothing that controls proxies or our pages out', () => {
  const asked = {
    cookie: 'a=b',
    authorization: 'Bearer x',
    'x-forwarded-for': '1.2.3.4',
    'x-guildhall-csrf': '1',
    'x-real-ip': '1.2.3.4',
    'proxy-authorization': 'x',
    referer: 'https://here/ticket',
    origin: 'null',
    'x-requested-with': 'fetch',
    accept: '*/*',
  };
  expect(headersInside(asked, 3000, '/p')).toEqual({
    accept: '*/*',
    'x-requested-with': 'fetch',
    host: 'localhost:3000',
    origin: 'http://localhost:3000',
    'x-forwarded-prefix': '/p',
  });
  const sent = { 'set-cookie': ['__Host-guildhall=x'], 'x-accel-redirect': '/x', 'content-type': 'text/html' };
  expect(Object.keys(headersOutside(sent, 3000, '/p'))).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/cookie|accel/)]),
  );
  for (const [location, expected] of [
    ['/a?b#c', '/p/a?b#c'],
    ['a', 'a'],
    ['//evil.example/x', 'http://evil.example/x'],
    ['http://localhost:3000/x', '/p/x'],
    ['http://localhost:3001/x', 'http://localhost:3001/x'],
    ['https://example.com/', 'https://example.com/'],
    ['javascript:alert(1)', undefined],
    ['data:text/html,x', undefined],
  ] as const)
    expect([location, locationOutside(location, 3000, '/p')]).toEqual([location, expected]);
});
