import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';

/** A connection to a database that can be cut. */
export interface DatabaseProxy {
  connectionString: string;
  /** Cuts every connection, and refuses new ones. */
  cut(): void;
  /** Does so at the first statement with this name, before the server gets it. */
  cutAt(statement: string): void;
  /** Passes nothing on over the connections of now, as if their backends were suspended. */
  stall(): void;
  /** Accepts connections again. */
  mend(): void;
  close(): Promise<void>;
}

/** The server's message with the process id and the key of a new connection, up to its length. */
const backendKey = Buffer.from([0x4b, 0, 0, 0, 12]);

/**
 * Passes connections on to the server behind `connectionString`. With `tellsPid`, it tells clients this process id of the
 * server, as a pooler tells one of its own.
 */
export async function startDatabaseProxy(
  connectionString: string,
  { tellsPid }: { tellsPid?: number } = {},
): Promise<DatabaseProxy> {
  const { host, port, user, database = '' } = new Client({ connectionString });
  const target = host.startsWith('/') ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port };
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-proxy-'));
  const sockets = new Set<Socket>();
  let open = true;
  let lastStatement = '';
  const server = createServer((inside) => {
    if (!open) {
      inside.destroy();
      return;
    }
    const outside = connect(target);
    inside.on('data', (chunk) => {
      if (lastStatement !== '' && chunk.includes(lastStatement)) cut();
    });
    if (tellsPid !== undefined)
      outside.once('data', (chunk) => {
        const at = chunk.indexOf(backendKey);
        if (at >= 0) chunk.writeInt32BE(tellsPid, at + backendKey.length);
      });
    for (const [from, to] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.once('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(join(directory, '.s.PGSQL.5432'), resolve));
  const cut = (): void => {
    open = false;
    lastStatement = '';
    for (const socket of sockets) socket.destroy();
  };
  return {
    connectionString: `postgresql://${user ?? ''}@${encodeURIComponent(directory)}/${database}`,
    cut,
    cutAt: (statement) => void (lastStatement = statement),
    stall: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    mend: () => void (open = true),
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
      await rm(directory, { recursive: true, force: true });
    },
  };
}
