import { connect, type Socket } from 'node:net';
import { createTokenEntry } from '../lib/token-entry.ts';
import type { EndpointAddress } from './session.ts';

/** The TCP listener through which sandboxes on other machines reach the endpoints of one gateway. */
export interface NetworkEntry {
  /** Forwards connections that begin with the returned token to an endpoint's socket, until `remove` is called. */
  add(socketPath: string): Promise<{ address: EndpointAddress; remove(): void }>;
  close(): Promise<void>;
}

/** Listens on a free port of `host` once the first endpoint is added. */
export function createNetworkEntry(host: string): NetworkEntry {
  const entry = createTokenEntry(host);
  return {
    async add(socketPath) {
      const sockets = new Set<Socket>();
      const { address, remove } = await entry.add((outside) => join(outside, socketPath, sockets));
      return {
        address,
        remove() {
          remove();
          for (const socket of sockets) socket.destroy();
        },
      };
    },
    close: () => entry.close(),
  };
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
