import { once } from 'node:events';
import { connect } from 'node:net';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ProviderError } from '../lib/errors.ts';
import { installBody } from './body.ts';
import { installErrors } from './errors.ts';

const lines: string[] = [];
const app = Fastify({ logger: { level: 'warn', stream: { write: (line) => void lines.push(line) } } });
let reading = Promise.withResolvers<void>();
let answered = Promise.withResolvers<number>();
beforeAll(async () => {
  installErrors(app);
  installBody(app);
  app.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload));
  app.addHook('preParsing', async () => reading.resolve());
  app.addHook('onSend', async (_request, reply) => answered.resolve(reply.statusCode));
  app.post('/json', async ({ body }) => body);
  app.post<{ Body: AsyncIterable<Buffer> }>('/file', async ({ body }) => {
    try {
      for await (const _piece of body);
    } catch (cause) {
      throw new ProviderError('The file could not be stored.', { retryable: true, cause });
    }
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => app.close());

test.each([
  ['/json', 'application/json'],
  ['/file', 'application/octet-stream'],
])('a client that leaves while it sends a body to %s is no failure of ours', async (path, type) => {
  reading = Promise.withResolvers();
  answered = Promise.withResolvers();
  const socket = connect(Number(new URL(app.listeningOrigin).port), '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\ncontent-length: 500\r\n\r\n{"name":`);
  await reading.promise;
  socket.destroy();
  expect(await answered.promise).toBe(400);
  expect(lines).toEqual([]);
});
