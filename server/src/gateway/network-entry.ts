import { createHash, randomBytes } from 'node:crypto';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { EndpointAddress } from './session.ts';

/** A token's characters; the line feed after it ends the first line of a connection. */
const tokenLength = 43;
const tokenWithinMs = 10_000;
/** Connections that have not said their token yet; the oldest goes when there are more. */
const maxStrangers = 128;

/** The listener through which sandboxes elsewhere on a network reach the doors of one gateway. */
export interface NetworkEntry {
  /** Leads connections that begin with the answered token to a door's socket. */
  admit(socketPath: string): Promise<{ address: EndpointAddress; dismiss(): void }>;
  close(): Promise<void>;
}

/**
 * Listens on a free port of `host` when the first door is admitted. Whoever is on that network can connect, so each
 * connection says the token of its door first, in a line of its own, and gets nothing back before.
 */
export function createNetworkEntry(host: string): NetworkEntry {
  const doors = new Map<string, { socketPath: string; sockets: Set<Socket> }>();
  const strangers = new Set<Socket>();
  let listening: Promise<{ server: Server; port: number }> | undefined;

  const onConnection = (outside: Socket): void => {
    outside.on('error', () => outside.destroy());
    strangers.add(outside);
    const [oldest] = strangers;
    if (strangers.size > maxStrangers) oldest?.destroy();
    const timer = setTimeout(() => outside.destroy(), tokenWithinMs);
    const known = (): void => {
      clearTimeout(timer);
      strangers.delete(outside);
    };
    outside.once('close', known);
    const read = (): void => {
      const line = readLine(outside);
      if (line === undefined) return;
      outside.off('readable', read);
      known();
      const door = doors.get(digest(line));
      if (door === undefined) outside.destroy();
      else join(outside, door.socketPath, door.sockets);
    };
    outside.on('readable', read);
  };

  return {
    async admit(socketPath) {
      listening ??= listen(host, onConnection);
      const { port } = await listening;
      const token = randomBytes(32).toString('base64url');
      const key = digest(token);
      const sockets = new Set<Socket>();
      doors.set(key, { socketPath, sockets });
      const dismiss = (): void => {
        doors.delete(key);
        for (const socket of sockets) socket.destroy();
      };
      return { address: { host, port, token }, dismiss };
    },
    async close() {
      if (listening === undefined) return;
      const { server } = await listening;
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      for (const socket of strangers) socket.destroy();
      for (const { sockets } of doors.values()) for (const socket of sockets) socket.destroy();
      await promise;
    },
  };
}

/** The token that a connection begins with, `''` for something else; undefined while too little has come. */
function readLine(socket: Socket): string | undefined {
  const line: unknown = socket.read(tokenLength + 1);
  if (line === null) return socket.readableEnded ? '' : undefined;
  const text = Buffer.isBuffer(line) ? line.toString('latin1') : '';
  return text.length === tokenLength + 1 && text.endsWith('\n') ? text.slice(0, -1) : '';
}

/** Joins a connection to a door, in both directions, until either has ended. */
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

/** Looked up by digest, so that how long a wrong one takes tells nothing about a right one. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
