import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { connectTo } from './connection.ts';

/** A server that sends many pings before its list of tools, and responds to no answer. */
async function openFlood(pings: number) {
  const unanswered: ServerResponse[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(await text(request));
    const event = (message: object) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
    if (method === undefined) return void unanswered.push(response);
    if (id === undefined) return void response.writeHead(202).end();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (method === 'tools/list')
      for (let count = 0; count < pings; count += 1) response.write(event({ id: `p${count}`, method: 'ping' }));
    const { protocolVersion } = Object(params);
    const hello = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } };
    response.end(event({ id, result: method === 'initialize' ? hello : { tools: [] } }));
  };
  const server = createServer((request, response) => void respond(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/`, unanswered, close };
}

test('a server that floods its client with requests takes few connections, and still answers', async () => {
  const flood = await openFlood(300);
  const { signal } = new AbortController();
  try {
    const connection = await connectTo({ url: flood.url, headers: {} }, signal);
    expect(await connection.listTools(signal)).toEqual({ tools: [], omitted: 0 });
    await expect.poll(() => flood.unanswered.length).toBeGreaterThan(10);
    await connection.listTools(signal);
    expect(flood.unanswered.length).toBeLessThan(20);
    await connection.close();
  } finally {
    flood.close();
  }
});
