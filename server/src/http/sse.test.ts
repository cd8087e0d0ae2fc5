import fastify from 'fastify';
import { expect, test } from 'vitest';
import { openEventStream } from './sse.ts';

test('a stream is open before its first event', async () => {
  const app = fastify();
  app.get('/', (_request, reply) => void openEventStream(reply, 'org_1'));
  const stop = new AbortController();
  try {
    const { status, headers } = await fetch(await app.listen({ host: '127.0.0.1', port: 0 }), { signal: stop.signal });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  } finally {
    stop.abort();
    await app.close();
  }
});

test('a client that left before its stream was open has none', async () => {
  const app = fastify();
  const handling = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<boolean>();
  app.get('/', async (request, reply) => {
    request.raw.socket.once('close', () => left.resolve());
    handling.resolve();
    await left.promise;
    opened.resolve(openEventStream(reply, 'org_1').gone.aborted);
    return reply;
  });
  const stop = new AbortController();
  try {
    const answer = fetch(await app.listen({ host: '127.0.0.1', port: 0 }), { signal: stop.signal });
    await handling.promise;
    stop.abort();
    await expect(answer).rejects.toThrow();
    expect(await opened.promise).toBe(true);
  } finally {
    await app.close();
  }
});
