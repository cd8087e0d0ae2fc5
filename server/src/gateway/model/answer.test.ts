import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { startPeer } from '../../../test/support/gateway.ts';
import { askModel, modelWorlds } from '../../../test/support/models.ts';

const { provide, open } = modelWorlds();

const message = { model: 'claude-sonnet-5', max_tokens: 1_000, stream: true, messages: [] };
const none = {
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  costUsd: 0,
  priceSource: 'published',
};

const sse = (...events: object[]): string => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const start = { type: 'message_start', message: { usage: { input_tokens: 100, output_tokens: 1 } } };
const delta = (text: string) => ({ type: 'content_block_delta', delta: { type: 'text_delta', text } });
const total = { type: 'message_delta', usage: { output_tokens: 20 } };
const stop = { type: 'message_stop' };

function begin(response: ServerResponse, ...events: object[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(sse(...events));
}

/** Reads an answer piece by piece. */
function reading(answer: Response) {
  const reader = answer.body?.getReader() ?? expect.fail('no body');
  const decoder = new TextDecoder();
  let seen = '';
  return {
    /** Reads until `text` has arrived; fails if the answer ends or breaks before. */
    async until(text: string): Promise<string> {
      while (!seen.includes(text)) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`ended after ${JSON.stringify(seen)}`);
        seen += decoder.decode(value, { stream: true });
      }
      return seen;
    },
    async end(): Promise<string> {
      for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read())
        seen += decoder.decode(value, { stream: true });
      return seen;
    },
  };
}

describe('a stream', () => {
  test('brings each delta as it comes, and its end only when what it used is on record', async () => {
    const sent = Promise.withResolvers<ServerResponse>();
    const recorded = Promise.withResolvers<void>();
    const provider = await provide((response, { request }) => {
      if (request.url?.endsWith('count_tokens') === true) return void response.end('{}');
      begin(response, start, delta('one'));
      sent.resolve(response);
    });
    const world = await open(provider, { beforeSettled: () => recorded.promise });
    const answer = reading(await askModel(world, 'anthropic', '/v1/messages', message));
    await answer.until('one');
    const upstream = await sent.promise;
    upstream.write(sse(delta('two')));
    await answer.until('two');
    upstream.write(sse(total));
    await answer.until('message_delta');
    upstream.write(sse(stop));
    const stopped = answer.until('message_stop').then(() => world.settled.length);
    // Other requests complete meanwhile, so the held one is not just slow.
    for (let other = 0; other < 5; other += 1) await askModel(world, 'anthropic', '/v1/messages/count_tokens', message);
    expect(await Promise.race([stopped, Promise.resolve('held back')])).toBe('held back');
    recorded.resolve();
    // The connection to the provider is still open: the event ends the answer.
    expect(await stopped).toBe(1);
    upstream.end(': bye\n\n');
    expect(await answer.end()).toBe(`${sse(start, delta('one'), delta('two'), total, stop)}: bye\n\n`);
    expect(world.settled).toEqual([
      {
        inputTokens: 100,
        outputTokens: 20,
        cachedInputTokens: 0,
        cacheWriteTokens: 0,
        costUsd: 0.0004,
        priceSource: 'published',
      },
    ]);
  });

  test('that breaks off breaks for the client too, and is settled as far as it is known', async () => {
    const provider = await provide((response) => {
      begin(response, start, delta('x'.repeat(400)));
      setImmediate(() => response.destroy());
    });
    const world = await open(provider);
    const answer = reading(await askModel(world, 'anthropic', '/v1/messages', message));
    await expect(answer.end()).rejects.toThrow('terminated');
    expect(world.settled).toMatchObject([{ inputTokens: 100, outputTokens: 100 }]);
  });

  test('that breaks off after it said what it used is settled with that', async () => {
    const provider = await provide((response) => {
      begin(response, start, delta('x'.repeat(400)), total);
      setImmediate(() => response.destroy());
    });
    const world = await open(provider);
    await expect(reading(await askModel(world, 'anthropic', '/v1/messages', message)).end()).rejects.toThrow();
    expect(world.settled).toMatchObject([{ inputTokens: 100, outputTokens: 20 }]);
  });

  test('that says nothing of its usage is settled with an estimate', async () => {
    const provider = await provide((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`${sse({ choices: [{ delta: { content: 'x'.repeat(400) } }] })}data: [DONE]\n\n`);
    });
    const world = await open(provider);
    const body = { model: 'qwen3', stream: true, messages: [] };
    await (await askModel(world, 'openai_compatible', '/v1/chat/completions', body)).text();
    const inputTokens = Math.ceil(JSON.stringify(body).length / 3);
    expect(world.settled).toEqual([
      {
        inputTokens,
        outputTokens: 100,
        cachedInputTokens: 0,
        cacheWriteTokens: 0,
        costUsd: 0,
        priceSource: 'none',
      },
    ]);
  });

  test('is cut at the provider as soon as the client goes away, and settled once', async () => {
    const cut = Promise.withResolvers<number>();
    const provider = await provide((response) => {
      begin(response, start, delta('x'.repeat(40)));
      response.once('close', () => cut.resolve(performance.now()));
    });
    const world = await open(provider);
    const client = new AbortController();
    const answer = await askModel(world, 'anthropic', '/v1/messages', message, { signal: client.signal });
    await reading(answer).until('xxx');
    const settled = world.nextSettled();
    client.abort();
    await cut.promise;
    expect(await settled).toMatchObject({ inputTokens: 100, outputTokens: 10 });
    await world.endpoint.close();
    expect(world.settled).toHaveLength(1);
  });

  test('is cut and settled before the door is closed', async () => {
    const provider = await provide((response) => begin(response, start, delta('x'.repeat(40))));
    const world = await open(provider);
    const answer = reading(await askModel(world, 'anthropic', '/v1/messages', message));
    await answer.until('xxx');
    await world.endpoint.close();
    expect(world.settled).toMatchObject([{ inputTokens: 100, outputTokens: 10 }]);
    await expect(answer.end()).rejects.toThrow('terminated');
  });

  test('waits for a client that reads slowly', async () => {
    let written = 0;
    const size = 64 * 1024 * 1024;
    const piece = sse(delta('x'.repeat(64 * 1024)));
    const provider = await provide((response) => {
      begin(response, start);
      const more = (): void => {
        while (written < size) {
          written += piece.length;
          if (!response.write(piece)) return void response.once('drain', more);
        }
        response.end(sse(total, stop));
      };
      more();
    });
    const world = await open(provider);
    const answer = reading(await askModel(world, 'anthropic', '/v1/messages', message));
    await answer.until('message_start');
    expect(written).toBeLessThan(size);
    await answer.end();
    expect(world.settled).toMatchObject([{ outputTokens: 20 }]);
  });
});

test.each<[string, (response: ServerResponse) => void]>([
  ['an answer in one piece', (response) => response.end('{"usage":{}}')],
  ['an error', (response) => response.writeHead(500).end('{}')],
  ['a redirect', (response) => response.writeHead(307, { location: '/' }).end()],
  ['a break', (response) => response.flushHeaders() ?? setImmediate(() => response.destroy())],
  ['a break before the answer', (response) => response.destroy()],
])('the client hears of %s when it is settled, and not before', async (_name, end) => {
  const recorded = Promise.withResolvers<void>();
  const provider = await provide((response, { request }) => {
    if (request.url?.endsWith('count_tokens') === true) response.end('{}');
    else end(response);
  });
  const world = await open(provider, { beforeSettled: () => recorded.promise });
  const heard = askModel(world, 'anthropic', '/v1/messages', message)
    .then((answer) => answer.text())
    .catch(() => 'broken')
    .then(() => world.settled.length);
  for (let other = 0; other < 5; other += 1) await askModel(world, 'anthropic', '/v1/messages/count_tokens', message);
  expect(await Promise.race([heard, Promise.resolve('held back')])).toBe('held back');
  recorded.resolve();
  expect(await heard).toBe(1);
});

describe('a provider', () => {
  test('is asked not to compress, and over a kept connection', async () => {
    const provider = await provide((response) => response.end('{}'));
    const world = await open(provider);
    for (let call = 0; call < 5; call += 1) await (await askModel(world, 'anthropic', '/v1/messages', message)).text();
    expect(provider.asked.map(({ request }) => request.headers['accept-encoding'])).toEqual(Array(5).fill('identity'));
    expect(new Set(provider.asked.map(({ request }) => request.socket.remotePort)).size).toBe(1);
  });

  test('that had closed the kept connection is asked again, for the same permit', async () => {
    const connections: Socket[] = [];
    const body = JSON.stringify({ usage: { input_tokens: 1, output_tokens: 2 } });
    const server = createTcpServer((socket) => {
      connections.push(socket);
      let asked = 0;
      socket.on('error', () => {});
      socket.on('data', () => {
        asked += 1;
        if (asked > 1) socket.resetAndDestroy();
        else
          socket.write(
            `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
          );
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const world = await open({ url: `http://127.0.0.1:${port}` });
    for (let call = 0; call < 3; call += 1) {
      const answer = await askModel(world, 'openai', '/v1/responses', { model: 'a' });
      expect(await answer.text()).toBe(body);
    }
    expect(connections).toHaveLength(3);
    expect(world.settled).toHaveLength(3);
    await world.close();
    for (const socket of connections) socket.destroy();
    server.close();
  });

  test.each([400, 404, 429, 500, 503, 529])('that answers %i is heard in its own words', async (status) => {
    const words = `{"error":{"message":"${'é'.repeat(20_000)}"}}`;
    const provider = await provide((response) =>
      response
        .writeHead(status, { 'content-type': 'application/json', 'retry-after': '7', 'x-internal': 'host' })
        .end(words),
    );
    const world = await open(provider);
    const answer = await askModel(world, 'anthropic', '/v1/messages', message);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('retry-after')).toBe('7');
    expect(answer.headers.get('x-internal')).toBeNull();
    const heard = Buffer.from(await answer.arrayBuffer());
    expect(heard).toEqual(Buffer.from(words).subarray(0, 16 * 1024));
    expect(world.settled).toEqual([none]);
  });

  test.each([
    ['redirects', 307, { location: 'http://127.0.0.1:1/' }],
    ['accepts without an answer', 202, {}],
    ['compresses all the same', 200, { 'content-encoding': 'gzip' }],
  ])('that %s is not understood', async (_how, status, headers) => {
    const provider = await provide((response) => response.writeHead(status, headers).end());
    const world = await open(provider);
    const answer = await askModel(world, 'anthropic', '/v1/messages', message);
    expect(answer.status).toBe(502);
    expect(answer.headers.get('location')).toBeNull();
    expect(await answer.json()).toMatchObject({ type: 'error', error: { type: 'api_error' } });
    expect(provider.asked).toHaveLength(1);
    expect(world.settled).toEqual([none]);
  });

  test('that cannot be reached is settled with nothing, once', async () => {
    const peer = await startPeer(() => {});
    await peer.close();
    const world = await open(peer);
    const answer = await askModel(world, 'anthropic', '/v1/messages', message);
    expect(answer.status).toBe(502);
    expect(await answer.text()).not.toContain(String(peer.port));
    expect(world.settled).toEqual([none]);
  });

  test('that never answers is given up', async () => {
    const provider = await provide(() => {});
    const world = await open(provider, { modelIdleTimeoutMs: 100 });
    const answer = await askModel(world, 'anthropic', '/v1/messages', message);
    expect(answer.status).toBe(504);
    expect(world.settled).toEqual([none]);
  });

  test('that falls silent in the middle is given up, while one that is slow is not', async () => {
    const provider = await provide((response) => {
      begin(response, start);
      let sent = 0;
      const timer = setInterval(() => {
        sent += 1;
        response.write(sse(delta('slow')));
        if (sent === 5) clearInterval(timer);
      }, 200);
    });
    const world = await open(provider, { modelIdleTimeoutMs: 800 });
    const answer = reading(await askModel(world, 'anthropic', '/v1/messages', message));
    await expect(answer.end()).rejects.toThrow('terminated');
    expect(world.settled).toMatchObject([{ inputTokens: 100, outputTokens: 5 }]);
  });

  test('that never ends is given up, whatever keeps it alive', async () => {
    const provider = await provide((response) => {
      begin(response, start);
      const timer = setInterval(() => response.write(': still thinking\n\n'), 50);
      response.once('close', () => clearInterval(timer));
    });
    const world = await open(provider, { modelCallTimeoutMs: 500 });
    const answer = reading(await askModel(world, 'anthropic', '/v1/messages', message));
    await expect(answer.end()).rejects.toThrow('terminated');
    expect(world.settled).toMatchObject([{ inputTokens: 100 }]);
  });

  test('is let go of when the client leaves before the answer', async () => {
    const asked = Promise.withResolvers<ServerResponse>();
    const provider = await provide((response) => asked.resolve(response));
    const world = await open(provider);
    const client = new AbortController();
    const answer = askModel(world, 'anthropic', '/v1/messages', message, { signal: client.signal });
    const upstream = await asked.promise;
    const cut = once(upstream, 'close');
    const settled = world.nextSettled();
    client.abort();
    await expect(answer).rejects.toThrow('abort');
    await cut;
    expect(await settled).toEqual(none);
    expect(world.settled).toHaveLength(1);
  });

  test('is not asked at all when the client leaves while the permit is asked for', async () => {
    const asked = Promise.withResolvers<void>();
    const granted = Promise.withResolvers<void>();
    const settled = Promise.withResolvers<unknown>();
    const provider = await provide((response) => response.end('{}'));
    const world = await open(provider, {
      session: {
        permitModel: async () => {
          asked.resolve();
          await granted.promise;
          return { allowed: true, maxOutputTokens: Infinity, settle: async (usage) => settled.resolve(usage) };
        },
      },
    });
    const client = new AbortController();
    const answer = askModel(world, 'anthropic', '/v1/messages', message, { signal: client.signal });
    await asked.promise;
    client.abort();
    await expect(answer).rejects.toThrow('abort');
    // Once a later request on the same listener is answered, the gateway has noticed the disconnect.
    await askModel(world, 'google', '/v1/nothing', {});
    granted.resolve();
    expect(await settled.promise).toEqual(none);
    expect(provider.asked).toEqual([]);
  });
});
