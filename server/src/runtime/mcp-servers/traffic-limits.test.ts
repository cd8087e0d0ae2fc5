import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { connectTo } from './connection.ts';

/** A server that sends many pings before its list of tools, responds to no answer, and ends every stream of its own at once. */
async function openFlood(pings: number) {
  const unanswered: ServerResponse[] = [];
  const flood = { url: '', unanswered, streams: 0, close };
  const event = (message: object) => `id: 1\nretry: 0\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const { id, method, params } = JSON.parse((await text(request)) || '{}');
    if (request.method === 'POST' && method === undefined) return void unanswered.push(response);
    if (request.method === 'POST' && id === undefined) return void response.writeHead(202).end();
    if (request.method !== 'POST') flood.streams += 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (request.method !== 'POST') return void response.end(event({ method: 'notifications/tools/list_changed' }));
    if (method === 'tools/list')
      for (let count = 0; count < pings; count += 1) response.write(event({ id: `p${count}`, method: 'ping' }));
    const { protocolVersion } = Object(params);
    const hello = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } };
    response.end(event({ id, result: method === 'initialize' ? hello : { tools: [] } }));
  };
  const server = createServer((request, response) => void respond(request, response)).listen(0, '127.0.0.1');
  function close() {
    server.closeAllConnections();
    server.close();
  }
  await once(server, 'listening');
  const address = server.address();
  flood.url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
  return flood;
}

test('a server that floods its client takes few connections, and still answers', async () => {
  const flood = await openFlood(300);
  const { signal } = new AbortController();
  try {
    const connection = await connectTo({ url: flood.url, headers: {} }, signal);
    for (let count = 0; count < 20; count += 1)
      expect(await connection.listTools(signal)).toEqual({ tools: [], omitted: 0 });
    await expect.poll(() => flood.unanswered.length).toBeGreaterThan(10);
    expect(flood.unanswered.length).toBeLessThan(20);
    expect(flood.streams).toBeLessThan(12);
    await connection.close();
  } finally {
    flood.close();
  }
});
