import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeSlowBodies, closeUnreadAnswers } from './slow-clients.ts';

const app = Fastify();
beforeAll(async () => {
  closeSlowBodies(app, { everyMs: 200, leastBytes: 1_000 });
  closeUnreadAnswers(app, 1_500);
  // Simulates a slow store that consumes the body.
  app.addContentTypeParser('application/octet-stream', async (_: unknown, payload: AsyncIterable<Buffer>) => {
    await delay(1_000);
    let length = 0;
    for await (const piece of payload) length += piece.length;
    return length;
  });
  app.get('/large', () => Buffer.alloc(100_000_000));
  app.post('/json', async ({ body }) => body);
  app.post('/push', { config: { basic: true } }, async ({ body }) => body);
  app.post('/refused', { config: { basic: true }, onRequest: async (_, reply) => reply.code(401).send() }, () => '');
  await app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => app.close());

async function send(path: string, length: number, begun: string) {
  const address = app.server.address();
  const socket = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`${headOf(path, length)}${begun}`);
  return socket;
}

function headOf(path: string, length: number): string {
  return `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;
}

async function closed(socket: Socket): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  // Data in transit may be answered with a reset.
  socket.once('error', () => undefined).once('close', resolve);
  await promise;
}

describe('a connection whose body does not come is closed', () => {
  test.each(['/json', '/nowhere', '/refused'])('%s', async (path) => {
    const socket = await send(path, 10_000, '{');
    socket.resume();
    await closed(socket);
  });

  test('also when it comes byte by byte', async () => {
    const socket = await send('/json', 10_000, '{');
    const trickle = setInterval(() => socket.write(' '), 20);
    socket.resume();
    await closed(socket);
    clearInterval(trickle);
  });
});

test('a body that waits for us is not given up', async () => {
  const address = app.server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const headers = { 'content-type': 'application/octet-stream' };
  const body = Buffer.alloc(1_000_000);
  const answer = await fetch(`http://127.0.0.1:${port}/json`, { method: 'POST', headers, body });
  expect([answer.status, await answer.text()]).toEqual([200, '1000000']);
});

test('a push may pause: git looks after it', async () => {
  const push = await send('/push', 3, '"x');
  const silent = await send('/json', 10_000, '{');
  silent.resume();
  await closed(silent);
  push.write('"');
  const [answer] = await once(push, 'data');
  expect(String(answer)).toContain('200 OK');
  push.destroy();
});

test('a connection that is used again and again is watched for each request alone', async () => {
  const socket = await send('/json', 2, '{}');
  await once(socket, 'data');
  const [kept] = await new Promise<Socket[]>((resolve) => {
    app.server.once('request', (request) => resolve([request.socket]));
    socket.write(`${headOf('/json', 2)}{}`);
  });
  await once(socket, 'data');
  const before = kept?.listenerCount('close');
  for (let n = 0; n < 5; n += 1) {
    socket.write(`${headOf('/json', 2)}{}`);
    await once(socket, 'data');
  }
  expect([before === undefined, kept?.listenerCount('close')]).toEqual([false, before]);
  socket.destroy();
});

test('a connection whose answer nobody reads is closed, and one that is read slowly is not', async () => {
  const address = app.server.address();
  const ask = async () => {
    const accepted = once(app.server, 'connection');
    const client = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1').on('error', () => {});
    client.write('GET /large HTTP/1.1\r\nhost: x\r\n\r\n');
    client.pause();
    const [server]: Socket[] = await accepted;
    if (server === undefined) throw new Error('no connection');
    return { client, server };
  };
  const unread = await ask();
  const slow = await ask();
  const reading = setInterval(() => slow.client.read(1_000_000), 50);
  await once(unread.server, 'close');
  expect(slow.server.destroyed).toBe(false);
  clearInterval(reading);
  for (const { client } of [unread, slow]) client.destroy();
});
