import { createServer, request, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** The reason why a target was not reached. */
export interface Failure {
  readonly refused: boolean;
  readonly message: string;
}

/** Chromium's only network access. */
export interface LocalProxy {
  readonly url: string;
  /** Returns the last failure of a target, `host:port`, since {@link LocalProxy.forget}. */
  failureOf(target: string): Failure | undefined;
  forget(): void;
}

export interface ProxyOptions {
  /** The gateway's base URL. */
  readonly gateway: string;
  /** True if servers on the loopback are reachable without the gateway. */
  readonly loopback: boolean;
}

const keptFailures = 500;
const keptMessage = 2_000;

/**
 * Starts a proxy between Chromium and the gateway, because Chromium does not report why a tunnel was refused, and must not
 * decide itself what it reaches directly. Every request becomes a tunnel for the gateway, also a plain `http:` one, so that
 * the gateway never treats it as a request for its own routes, or adds credentials meant for the sandbox's programs.
 */
export async function startProxy(options: ProxyOptions): Promise<LocalProxy> {
  const failures = new Map<string, Failure>();
  const gateway = new URL(options.gateway);
  const way: Route = {
    gateway,
    loopback: options.loopback,
    ownPorts: new Set([gateway.port]),
    note(target, failure) {
      if (failures.size < keptFailures || failures.has(target)) failures.set(target, failure);
    },
  };
  const server = createServer({ requestTimeout: 0, headersTimeout: 0, maxHeaderSize: 64 * 1024 });
  server.on('request', (incoming: IncomingMessage, response: ServerResponse) => {
    forward(way, incoming, response).catch(() => response.destroy());
  });
  server.on('connect', (incoming: IncomingMessage, client: Duplex, head: Buffer) => {
    tunnel(way, incoming.url ?? '', client, head).catch(() => client.destroy());
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const address = server.address();
  const port = address === null || typeof address === 'string' ? 0 : address.port;
  way.ownPorts.add(String(port));
  return {
    url: `http://127.0.0.1:${port}`,
    failureOf: (target) => failures.get(target),
    forget: () => failures.clear(),
  };
}

interface Route {
  readonly gateway: URL;
  readonly loopback: boolean;
  /** Ports of the gateway and of this proxy, which pages must not reach. */
  readonly ownPorts: Set<string>;
  note(target: string, failure: Failure): void;
}

/** Returns the name of a URL's server for error messages. */
export function targetOf(url: URL): string {
  return `${url.hostname}:${portOf(url)}`;
}

function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' || url.protocol === 'wss:' ? '443' : '80');
}

async function forward(way: Route, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  response.on('error', () => response.destroy());
  incoming.on('error', () => response.destroy());
  const url = URL.parse(incoming.url ?? '');
  if (url?.protocol !== 'http:') {
    response.writeHead(400, { connection: 'close' }).end();
    return;
  }
  const socket = await connectTo(way, url.hostname, portOf(url));
  // The page sees a lost connection: the message of a refusal is not for the page.
  if (socket === undefined || response.destroyed) {
    socket?.destroy();
    response.destroy();
    return;
  }
  const upstream = request({
    createConnection: () => socket,
    method: incoming.method,
    path: `${url.pathname}${url.search}`,
    headers: { ...endToEnd(incoming.headers), connection: 'close' },
  });
  upstream.on('error', () => response.destroy());
  upstream.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.headers));
    answer.on('error', () => response.destroy());
    answer.on('close', () => {
      if (!answer.complete) response.destroy();
    });
    answer.pipe(response);
  });
  response.on('close', () => socket.destroy());
  incoming.pipe(upstream);
}

async function tunnel(way: Route, authority: string, client: Duplex, head: Buffer): Promise<void> {
  client.on('error', () => client.destroy());
  const [, hostname = '', port = ''] = /^(.+):(\d{1,5})$/.exec(authority.toLowerCase()) ?? [];
  const upstream = await connectTo(way, hostname, port);
  if (upstream === undefined) {
    client.end('HTTP/1.1 502 Bad Gateway\r\nconnection: close\r\n\r\n');
    return;
  }
  client.on('close', () => upstream.destroy());
  upstream.on('close', () => client.destroy());
  if (client.destroyed) {
    upstream.destroy();
    return;
  }
  client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
  if (head.length > 0) upstream.write(head);
  client.pipe(upstream);
  upstream.pipe(client);
}

/** Connects to a target; on failure returns undefined and records the reason. */
async function connectTo(way: Route, hostname: string, port: string): Promise<Socket | undefined> {
  const target = `${hostname}:${port}`;
  const host = loopbackAddress(hostname);
  try {
    if (host !== undefined && way.ownPorts.has(port))
      throw new Refused(`${target} is not reachable: pages must not use it.`);
    return await (host !== undefined && way.loopback ? dial(host, port) : dialGateway(way.gateway, target));
  } catch (error) {
    const refused = error instanceof Refused;
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    const message = refused || error instanceof Unreachable ? error.message : `${target} could not be reached${code}.`;
    way.note(target, { refused, message });
    return undefined;
  }
}

class Refused extends Error {}
class Unreachable extends Error {}

/** Returns the address to dial for a loopback name; undefined for any other name. */
function loopbackAddress(hostname: string): string | undefined {
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return 'localhost';
  if (hostname === '[::1]') return '::1';
  return /^127(?:\.\d{1,3}){3}$/.test(hostname) ? hostname : undefined;
}

async function dial(host: string, port: string): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect({ host, port: Number(port) }, resolve);
  socket.on('error', reject);
  await promise;
  return socket;
}

async function dialGateway(gateway: URL, authority: string): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<{
    answer: IncomingMessage;
    socket: Socket;
    head: Buffer;
  }>();
  const call = request({
    host: gateway.hostname,
    port: gateway.port,
    method: 'CONNECT',
    path: authority,
    headers: { host: authority },
    agent: false,
  });
  call.on('error', reject);
  call.on('connect', (answer: IncomingMessage, socket: Socket, head: Buffer) => resolve({ answer, socket, head }));
  call.end();
  const { answer, socket, head } = await promise;
  socket.on('error', () => socket.destroy());
  if (head.length > 0) socket.unshift(head);
  if (answer.statusCode === 200) return socket;
  const message = await readMessage(socket);
  throw answer.headers['x-guildhall-refused'] === undefined ? new Unreachable(message) : new Refused(message);
}

/** Reads the gateway's message, a line of text. */
async function readMessage(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) {
    text += String(chunk);
    if (text.length > keptMessage) break;
  }
  return text.slice(0, keptMessage).trim();
}

const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

function endToEnd(headers: IncomingMessage['headers']): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name)));
}
