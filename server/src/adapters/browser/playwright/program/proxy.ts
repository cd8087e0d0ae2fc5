import { createServer, request, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Why a target was not reached. */
export interface Failure {
  readonly refused: boolean;
  readonly message: string;
}

/** The only network that Chromium has. */
export interface LocalProxy {
  readonly url: string;
  /** What went wrong last with a target, `host:port`, since {@link LocalProxy.forget}. */
  failureOf(target: string): Failure | undefined;
  forget(): void;
}

export interface ProxyOptions {
  /** The gateway's base URL. */
  readonly gateway: string;
  /** Whether servers on the loopback are reached, without the gateway. */
  readonly loopback: boolean;
}

const keptFailures = 500;
const keptMessage = 2_000;

/**
 * Stands between Chromium and the gateway, because Chromium does not tell why a tunnel was refused, and because a name that
 * it may reach directly is one that it would have to resolve. Never rejects.
 */
export async function startProxy(options: ProxyOptions): Promise<LocalProxy> {
  const failures = new Map<string, Failure>();
  const note = (target: string, failure: Failure): void => {
    if (failures.size < keptFailures || failures.has(target)) failures.set(target, failure);
  };
  const gateway = new URL(options.gateway);
  const way = { gateway, loopback: options.loopback, ownPorts: new Set([gateway.port]), note };
  const server = createServer({ requestTimeout: 0, headersTimeout: 0, maxHeaderSize: 32 * 1024 });
  server.on('request', (incoming: IncomingMessage, response: ServerResponse) => forward(way, incoming, response));
  server.on('connect', (incoming: IncomingMessage, socket: Duplex, head: Buffer) =>
    tunnel(way, incoming.url ?? '', socket, head),
  );
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

interface Way {
  readonly gateway: URL;
  readonly loopback: boolean;
  /** Of the gateway and the proxy itself, which no page has any business with. */
  readonly ownPorts: ReadonlySet<string>;
  note(target: string, failure: Failure): void;
}

/** How URLs and failures name a server. */
export function targetOf(url: URL): string {
  return `${url.hostname}:${portOf(url)}`;
}

function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' || url.protocol === 'wss:' ? '443' : '80');
}

/** Where a target on the loopback is dialled; undefined for one that is the gateway's to judge. */
function loopbackOf(way: Way, hostname: string): string | undefined {
  if (!way.loopback) return undefined;
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return 'localhost';
  if (hostname === '[::1]') return '::1';
  return /^127(?:\.\d{1,3}){3}$/.test(hostname) ? hostname : undefined;
}

function ownRefusal(target: string): Failure {
  return { refused: true, message: `${target} is not reachable: it is not a page's to use.` };
}

function forward(way: Way, incoming: IncomingMessage, response: ServerResponse): void {
  response.on('error', () => response.destroy());
  incoming.on('error', () => response.destroy());
  const url = URL.parse(incoming.url ?? '');
  if (url?.protocol !== 'http:') {
    response.writeHead(400, { connection: 'close' }).end();
    return;
  }
  const target = targetOf(url);
  const host = loopbackOf(way, url.hostname);
  // A page sees a connection that broke off: there is nothing in a refusal that is meant for it.
  const fail = (failure: Failure): void => {
    way.note(target, failure);
    response.destroy();
  };
  if (host !== undefined && way.ownPorts.has(portOf(url))) return fail(ownRefusal(target));
  const { method = 'GET' } = incoming;
  const headers = endToEnd(incoming.headers);
  const upstream =
    host === undefined
      ? request({ host: way.gateway.hostname, port: way.gateway.port, path: url.href, method, headers, agent: false })
      : request({ host, port: portOf(url), path: `${url.pathname}${url.search}`, method, headers, agent: false });
  upstream.on('error', (error) =>
    fail({ refused: false, message: `${target} could not be reached: ${error.message}.` }),
  );
  upstream.on('response', (answer) => {
    const refused = answer.headers['x-guildhall-refused'] !== undefined;
    if (host === undefined && (refused || answer.headers['x-guildhall-failed'] !== undefined)) {
      readMessage(answer, (message) => fail({ refused, message }));
      return;
    }
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.headers));
    answer.on('error', () => response.destroy());
    answer.pipe(response);
  });
  response.on('close', () => upstream.destroy());
  incoming.pipe(upstream);
}

function tunnel(way: Way, authority: string, client: Duplex, head: Buffer): void {
  client.on('error', () => client.destroy());
  const [, hostname = '', port = ''] = /^(.+):(\d{1,5})$/.exec(authority.toLowerCase()) ?? [];
  const target = `${hostname}:${port}`;
  const fail = (failure: Failure): void => {
    way.note(target, failure);
    client.end(`HTTP/1.1 ${failure.refused ? '403 Forbidden' : '502 Bad Gateway'}\r\nconnection: close\r\n\r\n`);
  };
  const unreachable = (error: Error): void =>
    fail({ refused: false, message: `${target} could not be reached: ${error.message}.` });
  const host = loopbackOf(way, hostname);
  if (host !== undefined) {
    if (way.ownPorts.has(port)) return fail(ownRefusal(target));
    const upstream = connect({ host, port: Number(port) });
    upstream.once('error', unreachable);
    upstream.once('connect', () => {
      upstream.off('error', unreachable);
      establish(client, upstream, head);
    });
    return;
  }
  const call = request({
    host: way.gateway.hostname,
    port: way.gateway.port,
    method: 'CONNECT',
    path: authority,
    headers: { host: authority },
    agent: false,
  });
  call.on('error', unreachable);
  call.on('connect', (answer: IncomingMessage, upstream: Socket, rest: Buffer) => {
    if (answer.statusCode === 200) {
      upstream.unshift(rest);
      return establish(client, upstream, head);
    }
    upstream.unshift(rest);
    const refused = answer.headers['x-guildhall-refused'] !== undefined;
    readMessage(upstream, (message) => fail({ refused, message }));
  });
  client.on('close', () => call.destroy());
  call.end();
}

function establish(client: Duplex, upstream: Socket, head: Buffer): void {
  client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
  if (head.length > 0) upstream.write(head);
  upstream.on('error', () => client.destroy());
  upstream.on('close', () => client.destroy());
  client.on('close', () => upstream.destroy());
  client.pipe(upstream);
  upstream.pipe(client);
}

/** The gateway's own words, a line of text. */
function readMessage(source: NodeJS.ReadableStream, done: (message: string) => void): void {
  let text = '';
  source.on('data', (chunk: Buffer) => {
    if (text.length < keptMessage) text += chunk.toString('utf8');
  });
  source.on('error', () => done(text.trim()));
  source.on('end', () => done(text.slice(0, keptMessage).trim()));
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
