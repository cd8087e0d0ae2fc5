import { createHash, randomBytes } from 'node:crypto';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { EndpointAddress } from './session.ts';

/** The length of a token, without the line feed that follows it. */
const tokenLength = 43;
const tokenWithinMs = 10_000;
/** The maximum number of connections that have not sent their token; one more closes the oldest. */
const maxUnauthenticated = 128;

/** The TCP listener through which sandboxes on other machines reach the endpoints of one gateway. */
export interface NetworkEntry {
  /** Forwards connections that begin with the returned token to an endpoint's socket, until `remove` is called. */
  add(socketPath: string): Promise<{ address: EndpointAddress; remove(): void }>;
  close(): Promise<void>;
}

/**
 * Listens on a free port of `host` once the first endpoint is added. Anyone on that network can connect, so a connection must
 * first send its endpoint's token on a line, and gets no response before.
 */
export function createNetworkEntry(host: string): NetworkEntry {
  const endpoints = new Map<string, { socketPath: string; sockets: Set<Socket> }>();
  const unauthenticated = new Set<Socket>();
  let listening: Promise<{ server: Server; port: number }> | undefined;

  const onConnection = (outside: Socket): void => {
    outside.on('error', () => outside.destroy());
    unauthenticated.add(outside);
    const [oldest] = unauthenticated;
    if (unauthenticated.size > maxUnauthenticated) oldest?.destroy();
    const timer = setTimeout(() => outside.destroy(), tokenWithinMs);
    const forget = (): void => {
      clearTimeout(timer);
      unauthenticated.delete(outside);
    };
    outside.once('close', forget);
    const read = (): void => {
      const line = readLine(outside);
      if (line === undefined) return;
      outside.off('readable', read);
      forget();
      const endpoint = endpoints.get(digest(line));
      if (endpoint === undefined) outside.destroy();
      else join(outside, endpoint.socketPath, endpoint.sockets);
    };
    outside.on('readable', read);
  };

  return {
    async add(socketPath) {
      listening ??= listen(host, onConnection);
      const { port } = await listening;
      const token = randomBytes(32).toString('base64url');
      const key = digest(token);
      const sockets = new Set<Socket>();
      endpoints.set(key, { socketPath, sockets });
      const remove = (): void => {
        endpoints.delete(key);
        for (const socket of sockets) socket.destroy();
      };
      return { address: { host, port, token }, remove };
    },
    async close() {
      if (listening === undefined) return;
      const { server } = await listening;
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      for (const socket of unauthenticated) socket.destroy();
      for (const { sockets } of endpoints.values()) for (const socket of sockets) socket.destroy();
      await promise;
    },
  };
}

/** Reads the token at the beginning of a connection: `''` if it is malformed, undefined while it is incomplete. */
function readLine(socket: Socket): string | undefined {
  const line: unknown = socket.read(tokenLength + 1);
  if (line === null) return socket.readableEnded ? '' : undefined;
  const text = Buffer.isBuffer(line) ? line.toString('latin1') : '';
  return text.length === tokenLength + 1 && text.endsWith('\n') ? text.slice(0, -1) : '';
}

/** Forwards a connection to an endpoint, in both directions, until either side closes. */
function join(outside: Socket, socketPath: string, sockets: Set<Socket>): void {
  const inside = connect({ path: socketPath, allowHalfOpen: true });
  for (const [from, to] of [
    [outside, inside],
    [inside, outside],
  ] as const) {
    sockets.add(from);
    from.on('error', () => to.destroy());
    from.once('close', () => {
      sockets.delete(from);
      to.destroy();
    });
    from.pipe(to);
  }
}

async function listen(host: string, onConnection: (socket: Socket) => void): Promise<{ server: Server; port: number }> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, onConnection);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(0, host, resolve);
  await promise;
  server.off('error', reject);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the network entry has no port');
  return { server, port: address.port };
}

/** Tokens are looked up by digest, so that the time of a lookup reveals nothing about valid tokens. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
