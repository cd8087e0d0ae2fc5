import fastify from 'fastify';
import { expect, test } from 'vitest';
import { openEventStream } from './sse.ts';

test('a stream is open before its first event', async () => {
  const app = fastify();
  app.get('/', (_request, reply) => void openEventStream(reply));
  const stop = new AbortController();
  try {
    const { status, headers } = await fetch(await app.listen({ host: '127.0.0.1', port: 0 }), { signal: stop.signal });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  } finally {
    stop.abort();
    await app.close();
  }
});
