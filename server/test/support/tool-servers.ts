import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createTcpServer } from 'node:net';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname, resolve } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { WorkerContext } from '../../src/runtime/context.ts';
import { startPeer, type Peer } from './gateway.ts';

const program = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));
/** The directory with its dependencies. */
const packages = resolve(dirname(program), '../../../..');

/** The protocol's reference server, as a command inside a sandbox with its files. */
export const everything = { command: 'node', args: [program, 'stdio'] };

/** Makes the reference server visible in a worker's sandboxes. */
export function withEverything(ctx: WorkerContext): WorkerContext {
  const { sandbox } = ctx;
  return {
    ...ctx,
    sandbox: {
      ...sandbox,
      create: (options) => sandbox.create({ ...options, mounts: [...(options.mounts ?? []), packages] }),
    },
  };
}

/** Starts the reference server in its own process, on a free port. */
export async function startEverything(
  transport: 'streamableHttp' | 'sse',
): Promise<{ url: string; close(): Promise<void> }> {
  const port = await freePort();
  const child = spawn(process.execPath, [program, transport], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  for await (const chunk of child.stderr.iterator({ destroyOnReturn: false }))
    if (String(chunk).includes(String(port))) break;
  child.stderr.resume();
  return {
    url: `http://127.0.0.1:${port}/${transport === 'sse' ? 'sse' : 'mcp'}`,
    async close() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** A client's request in JSON-RPC. */
export interface Asked {
  readonly method: string;
  readonly params: Record<string, unknown>;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Starts an MCP server that responds as told: `answer` returns the result of a method, or undefined if it responds
 * itself or never. `initialize` is answered automatically.
 */
export async function startToolServer(answer: (asked: Asked) => unknown): Promise<Peer> {
  return startPeer((request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
      return;
    }
    void json(request).then((body) => {
      const { id, method, params = {} } = Object(body);
      if (id === undefined) return response.writeHead(202).end();
      const asked = { method: String(method), params: Object(params), request, response };
      const result = method === 'initialize' ? welcome(asked) : answer(asked);
      if (result === undefined) return response;
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
}

function welcome({ params }: Asked): object {
  const serverInfo = { name: 'peer', version: '1.2.3' };
  return { protocolVersion: params['protocolVersion'], capabilities: { tools: {} }, serverInfo };
}

/** Returns a tool as a server lists it. */
export function listed(name: string, more: object = {}): object {
  return { name, inputSchema: { type: 'object', properties: { words: { type: 'string' } } }, ...more };
}

export function says(text: string): object {
  return { content: [{ type: 'text', text }] };
}
