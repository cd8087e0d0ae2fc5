import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';

/** The length of a token, without the line feed that follows it. */
const tokenLength = 43;
const tokenWithinMs = 10_000;
/** The maximum number of connections that have not sent their token; one more closes the oldest. */
const maxUnauthenticated = 128;

/** Address to connect to, and the token to send first, on a line of its own. */
export interface TokenAddress {
  readonly host: string;
  readonly port: number;
  readonly token: string;
}

/** A TCP listener whose connections each begin with a token. */
export interface TokenEntry {
  /** Hands over connections that begin with the returned token, until `remove` is called. */
  add(take: (socket: Socket) => void): Promise<{ address: TokenAddress; remove(): void }>;
  /** Closes it, with all of its connections. */
  close(): Promise<void>;
}

/**
 * Listens on a free port of `host` once the first token is issued. Anyone on that network can connect, so a connection must
 * first send a token on a line, and gets no response before.
 */
export function createTokenEntry(host: string): TokenEntry {
  const takers = new Map<string, (socket: Socket) => void>();
  const unauthenticated = new Set<Socket>();
  const all = new Set<Socket>();
  let listening: Promise<{ server: Server; port: number }> | undefined;

  const onConnection = (socket: Socket): void => {
    socket.on('error', () => socket.destroy());
    all.add(socket);
    unauthenticated.add(socket);
    const [oldest] = unauthenticated;
    if (unauthenticated.size > maxUnauthenticated) oldest?.destroy();
    const timer = setTimeout(() => socket.destroy(), tokenWithinMs);
    const forget = (): void => {
      clearTimeout(timer);
      unauthenticated.delete(socket);
    };
    socket.once('close', () => {
      forget();
      all.delete(socket);
    });
    const read = (): void => {
      const line = readLine(socket);
      if (line === undefined) return;
      socket.off('readable', read);
      forget();
      const take = takers.get(digest(line));
      if (take === undefined) socket.destroy();
      else take(socket);
    };
    socket.on('readable', read);
  };

  return {
    async add(take) {
      listening ??= listen(host, onConnection);
      const { port } = await listening;
      const token = randomBytes(32).toString('base64url');
      const key = digest(token);
      takers.set(key, take);
      return { address: { host, port, token }, remove: () => void takers.delete(key) };
    },
    async close() {
      if (listening === undefined) return;
      const { server } = await listening;
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      for (const socket of all) socket.destroy();
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

async function listen(host: string, onConnection: (socket: Socket) => void): Promise<{ server: Server; port: number }> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, onConnection);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen({ port: 0, host, exclusive: true }, resolve);
  await promise;
  server.off('error', reject);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the listener has no port');
  return { server, port: address.port };
}

/** Tokens are looked up by digest, so that the time of a lookup reveals nothing about valid tokens. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
