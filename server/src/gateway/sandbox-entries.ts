import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { messageOf, ProviderError } from '../lib/errors.ts';
import { createNetworkEntry } from './network-entry.ts';
import type { EndpointAddress, GatewayReach } from './session.ts';

/** The ways of sandboxes into the endpoints of one gateway. */
export interface SandboxEntries {
  /** Adds the server of an endpoint, which does not listen yet. */
  add(server: Server): SandboxEntry;
  /** Closes the network, and removes the directory of the sockets. Never fails. */
  close(): Promise<void>;
}

/** The way of sandboxes into one endpoint. */
export interface SandboxEntry {
  readonly socketPath: string;
  /** Returns the address; the server listens from the first call that succeeds. Throws ProviderError. */
  address(): Promise<EndpointAddress>;
  /** Admits nobody from now on. The socket goes when the server closes. */
  remove(): Promise<void>;
}

interface Opened {
  address: EndpointAddress;
  remove(): void;
}

/** Keeps the sockets in `directory`, and removes those that an earlier process left there before it opens the first one. */
export function createSandboxEntries(directory: string, reach: GatewayReach | undefined): SandboxEntries {
  const network = reach?.by === 'network' ? createNetworkEntry(reach.host) : undefined;
  let prepared: Promise<void> | undefined;
  const prepare = async (): Promise<void> => {
    prepared ??= prepareDirectory(directory);
    await prepared.catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });
  };
  return {
    add(server) {
      const socketPath = newSocketPath(directory);
      return createEntry(socketPath, async () => {
        await prepare();
        if (!server.listening) await listenOnSocket(server, socketPath);
        return network?.add(socketPath) ?? { address: { socket: socketPath }, remove: () => undefined };
      });
    },
    async close() {
      await network?.close();
      // The directory is outside of the data directory, so nothing else would remove it.
      await removeSockets(directory).catch(() => undefined);
      await rmdir(directory).catch(() => undefined);
    },
  };
}

function createEntry(socketPath: string, open: () => Promise<Opened>): SandboxEntry {
  let opening: Promise<Opened> | undefined;
  let isRemoved = false;
  return {
    socketPath,
    async address() {
      if (isRemoved) throw new ProviderError('The gateway closed this endpoint.', { retryable: false });
      const current = (opening ??= open());
      try {
        return (await current).address;
      } catch (error) {
        if (opening === current) opening = undefined;
        throw new ProviderError(`The gateway cannot listen: ${messageOf(error)}`, { retryable: true, cause: error });
      }
    },
    async remove() {
      isRemoved = true;
      const opened = await opening?.catch(() => undefined);
      opened?.remove();
    },
  };
}

async function prepareDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await chmod(directory, 0o700);
  await removeSockets(directory);
}

/** Removes the sockets that a killed worker left; nothing listens on them. */
async function removeSockets(directory: string): Promise<void> {
  for (const name of await readdir(directory))
    if (name.endsWith('.sock')) await rm(join(directory, name), { force: true });
}

function newSocketPath(directory: string): string {
  const path = join(directory, `${randomBytes(8).toString('hex')}.sock`);
  // sockaddr_un holds 108 bytes including the terminating zero; a longer path would be truncated silently.
  if (Buffer.byteLength(path) > 107)
    throw new Error(`The gateway's directory ${directory} is too long for a unix socket: use at most 85 bytes.`);
  return path;
}

/** Listens on a unix socket. Any user who can see the socket may connect. */
async function listenOnSocket(server: Server, path: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen({ path, readableAll: true, writableAll: true, exclusive: true }, resolve);
  await promise;
  server.off('error', reject);
}
