import { spawn } from 'node:child_process';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { connect, createServer as createTcpServer, type Server as TcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { createGateway, type Gateway, type GatewayEndpoint } from '../../src/gateway/gateway.ts';
import type { GatewayEvent, GatewaySession } from '../../src/gateway/session.ts';
import { createLog } from '../../src/lib/log.ts';

type GatewayOptions = Parameters<typeof createGateway>[0];

/** A server on loopback that records its requests. */
export interface Peer {
  readonly url: string;
  readonly port: number;
  readonly requests: IncomingMessage[];
  /** The open connections. */
  readonly sockets: ReadonlySet<Socket>;
  close(): Promise<void>;
}

export async function startPeer(listener: RequestListener, host = '127.0.0.1'): Promise<Peer> {
  const requests: IncomingMessage[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    requests.push(request);
    listener(request, response);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const port = await listen(server, host);
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    requests,
    sockets,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function listen(server: TcpServer, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Starts the supervisor's part of a sandbox: a loopback port that leads to the gateway's socket. */
export async function startForwarder(
  socketPath: string,
): Promise<{ url: string; port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createTcpServer({ allowHalfOpen: true }, (inside) => {
    const outside = connect({ path: socketPath, allowHalfOpen: true });
    for (const [from, to] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.once('close', () => {
        sockets.delete(from);
        if (!from.readableEnded) to.destroy();
      });
    }
  });
  const port = await listen(server, '127.0.0.1');
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

export interface GitHost extends Peer {
  /** The directory of the bare repositories: `<root>/<owner>/<name>.git`. */
  readonly root: string;
  createRepository(repo: string): Promise<void>;
}

/** Starts git's own http-backend behind Basic credentials, like a git provider. */
export async function startGitHost(
  root: string,
  options: { authorization: string; before?: (request: IncomingMessage, response: ServerResponse) => boolean },
): Promise<GitHost> {
  const peer = await startPeer((request, response) => {
    if (options.before?.(request, response) === true) return;
    if (request.headers.authorization === options.authorization) return serveBackend(root, request, response);
    response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end('secret words of the host');
  });
  return {
    ...peer,
    root,
    async createRepository(repo) {
      const path = join(root, `${repo}.git`);
      await execa('git', ['init', '-q', '--bare', '-b', 'main', path]);
      await execa('git', ['config', 'http.receivepack', 'true'], { cwd: path });
      await execa('git', ['config', 'receive.advertisePushOptions', 'true'], { cwd: path });
    },
  };
}

function serveBackend(root: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://host');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      ...(request.headers['content-encoding'] === undefined
        ? {}
        : { HTTP_CONTENT_ENCODING: request.headers['content-encoding'] }),
      ...(request.headers['git-protocol'] === undefined
        ? {}
        : { GIT_PROTOCOL: String(request.headers['git-protocol']) }),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin);
  child.stdin.on('error', () => {});
  request.once('close', () => {
    if (!request.complete) child.stdin.destroy();
  });
  let head = Buffer.alloc(0);
  let begun = false;
  child.stdout.on('data', (chunk: Buffer) => {
    if (begun) {
      response.write(chunk);
      return;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    begun = true;
    for (const line of head.toString('latin1', 0, end).split('\r\n')) {
      const [name = '', value = ''] = line.split(/: (.*)/s);
      if (name.toLowerCase() === 'status') response.statusCode = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.write(head.subarray(end + 4));
  });
  child.stdout.on('end', () => response.end());
}

/** A gateway with the endpoint of one session, and a sandbox's forwarder. */
export interface World {
  readonly gateway: Gateway;
  readonly endpoint: GatewayEndpoint;
  readonly events: GatewayEvent[];
  /** The gateway's URL in the sandbox. */
  readonly inside: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Opens a world; {@link closeWorlds} closes everything. */
export async function openWorld(
  options: Partial<GatewayOptions> & { directory: string },
  session: Partial<GatewaySession> = {},
): Promise<World> {
  const events: GatewayEvent[] = [];
  const gateway = createGateway({
    log: createLog('silent'),
    egressAllow: [],
    registries: async () => ({}),
    lookup: (host) => Promise.reject(new Error(`no such name ${host}`)),
    ...options,
  });
  const endpoint = await gateway.open({
    id: 'ses_test',
    holds: () => Promise.resolve(true),
    repositories: [],
    network: 'none',
    allowedHosts: [],
    onEvent: (event) => events.push(event),
    ...session,
  });
  await endpoint.address();
  const forwarder = await startForwarder(endpoint.socketPath);
  return {
    gateway,
    endpoint,
    events,
    inside: forwarder.url,
    port: forwarder.port,
    async close() {
      await forwarder.close();
      await gateway.close();
    },
  };
}

/** Creates a directory, and closes everything that is registered after a test, last opened first. */
export async function createScratch(): Promise<{
  readonly path: string;
  closing<T extends { close(): Promise<void> }>(opened: T | Promise<T>): Promise<T>;
  dispose(): Promise<void>;
}> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'gateway-')));
  const opened: { close(): Promise<void> }[] = [];
  return {
    path,
    async closing(thing) {
      const made = await thing;
      opened.push(made);
      return made;
    },
    async dispose() {
      for (const thing of opened.reverse()) await thing.close();
      await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

/** Returns incompressible bytes, the same every time. */
export function noise(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  let state = 1;
  for (let index = 0; index < size; index += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes.writeUInt32LE(state, index);
  }
  return bytes;
}

/** The committer in tests. */
export const identity = {
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.org',
};
