import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** The quality of a line. Both directions have the latency; the way to the client has the rate. */
export interface LineQuality {
  latencyMs: number;
  bytesPerSecond: number;
}

/** A line between a client and a server, on an address of its own. */
export interface Line {
  url: string;
  /** Ends every connection, and refuses new ones. */
  cut(): void;
  /** Passes nothing on any more, without ending anything: those connections stay dead for ever. */
  swallow(): void;
  /** Lets new connections through, as good as this; by default perfect. */
  mend(quality?: LineQuality): void;
  close(): Promise<void>;
}

type State = { kind: 'open'; quality: LineQuality | undefined } | { kind: 'cut' } | { kind: 'swallows' };

/** Starts a line to a server on this machine. */
export async function startLine(to: string): Promise<Line> {
  const { hostname: host, port } = new URL(to);
  const sockets = new Set<Socket>();
  let state: State = { kind: 'open', quality: undefined };
  let dead = new AbortController();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  };
  const server = createServer({ noDelay: true }, (client) => {
    keep(client);
    if (state.kind === 'cut') client.destroy();
    if (state.kind !== 'open') return;
    const upstream = keep(connect({ host, port: Number(port), noDelay: true }));
    const { quality } = state;
    const { signal } = dead;
    void pass(client, upstream, signal, quality && { ...quality, bytesPerSecond: Number.POSITIVE_INFINITY });
    void pass(upstream, client, signal, quality);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const end = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${portOf(server.address())}`,
    cut() {
      state = { kind: 'cut' };
      end();
    },
    swallow() {
      state = { kind: 'swallows' };
      dead.abort();
      dead = new AbortController();
    },
    mend: (quality) => void (state = { kind: 'open', quality }),
    async close() {
      state = { kind: 'cut' };
      end();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Passes bytes on in their order until the source ends; keeps the socket's own back-pressure. */
async function pass(from: Socket, to: Socket, dead: AbortSignal, quality: LineQuality | undefined): Promise<void> {
  /** When the line has sent everything so far. */
  let freeAt = 0;
  let sent: Promise<unknown> = Promise.resolve();
  try {
    for await (const chunk of from) {
      if (dead.aborted) continue;
      const bytes: Buffer = chunk;
      if (quality !== undefined) {
        const now = performance.now();
        freeAt = Math.max(now, freeAt) + (bytes.length / quality.bytesPerSecond) * 1_000;
        const arrivesAt = freeAt + quality.latencyMs;
        sent = sent.then(() => delay(Math.max(0, arrivesAt - performance.now())));
        void sent.then(() => !dead.aborted && to.writable && to.write(bytes));
        // No more is under way than a slow line holds.
        if (freeAt - now > 500) await delay(freeAt - now - 500);
      } else if (!to.write(bytes)) await new Promise((resolve) => to.once('drain', resolve).once('close', resolve));
    }
  } catch {
    // The other side learns of it by the end of its own connection.
  }
  await sent;
  if (!dead.aborted) to.destroy();
}
