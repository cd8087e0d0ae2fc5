import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, rmdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { EgressRule } from '../config/config.ts';
import type { Log } from '../lib/log.ts';
import { createDialer, type Lookup } from './net/dial.ts';
import { createDoorHandler, type DoorHandler } from './door.ts';
import type { NetworkMode } from './net/egress.ts';
import { sandboxEnvironment } from './environment.ts';
import { answerText } from './net/forward.ts';
import { gitPath } from './git/route.ts';
import { createModelUpstream } from './model/upstream.ts';
import type { HostRegistries, Tool } from './registry/registries.ts';
import type { FileHosts } from './registry/links.ts';
import { createRegistryRoute } from './registry/route.ts';
import { listenOnSocket, removeSocket } from './sandbox-server.ts';
import { toolServerPath } from './mcp-route.ts';
import { createNetworkEntry } from './network-entry.ts';
import type { DoorAddress, GatewayReach, GatewaySession, PushedRef, PushRight, RepositoryName } from './session.ts';

export interface GatewayOptions {
  readonly log: Log;
  readonly egressAllow: readonly EgressRule[];
  /** What the host installs packages from: what is known when that of `wanted` is. Asked when a session needs it. */
  readonly registries: (wanted: readonly Tool[]) => Promise<HostRegistries>;
  /** The hosts that the operator named for files of packages. */
  readonly registryFiles?: FileHosts;
  /** How long a model's provider may say nothing, before or in an answer. */
  readonly modelIdleTimeoutMs?: number;
  /** Absolute, at most 85 bytes, of this process alone: sockets that an earlier one left there are removed. */
  readonly directory: string;
  /** How sandboxes get here; by sockets unless told. */
  readonly reach?: GatewayReach;
  /** Instead of the system's resolver. */
  readonly lookup?: Lookup;
}

/** The one way out of every sandbox of a worker. */
export interface Gateway {
  open(session: GatewaySession): Promise<GatewayDoor>;
  /** Closes every door. */
  close(): Promise<void>;
}

/** One session's way out. */
export interface GatewayDoor {
  /** HTTP on a unix socket: `/api/…`, `/git/…`, `/mcp/…`, `/model/…`, `/npm/…`, `/pip/…`, and a forward proxy for everything else. */
  readonly socketPath: string;
  /** Where a sandbox finds it: that socket, or the gateway's port on a network with a token of this door. */
  readonly address: DoorAddress;
  /** Every ref a push through this door has set, oldest first. */
  readonly refsPushed: readonly PushedRef[];
  /** What the worker's own git uses: the same policy, over loopback with a header that only this door knows. */
  hostRemote(repository: RepositoryName): { url: string; headers: { authorization: string } };
  /**
   * What an agent in the worker calls models by: the URL is followed by the provider's own path, e.g. `/v1/messages`, and
   * the headers go with every call, for which credentials of its own mean nothing. It need not be configured to be asked.
   */
  hostModel(provider: string): { url: string; headers: { authorization: string } };
  /** What a tool client in the worker reaches a tool server by; it need not be there to be asked. */
  hostToolServer(slug: string): { url: string; headers: { authorization: string } };
  /** The variables of a sandbox that reaches this door at `gatewayUrl`, with the network as it is now. */
  environment(gatewayUrl: string): Promise<Record<string, string>>;
  /** Tunnels that are open are cut when something changes. `allowedHosts` as in {@link GatewaySession}. */
  setNetwork(mode: NetworkMode, allowedHosts?: readonly string[]): void;
  /** Grants, narrows or takes away the right to push. Throws for a repository that is not the session's. */
  setPush(repository: RepositoryName, right: PushRight | undefined): void;
  /** Cuts what is under way, and waits until the model calls of it are settled. Never fails. */
  close(): Promise<void>;
}

export function createGateway(options: GatewayOptions): Gateway {
  const dialer = createDialer(options);
  const registries = createRegistryRoute({ ...options, dialer });
  const upstream = createModelUpstream({ dialer, idleTimeoutMs: options.modelIdleTimeoutMs ?? 120_000 });
  const doors = new Set<GatewayDoor>();
  const host = createHostEntry();
  const network = options.reach?.by === 'network' ? createNetworkEntry(options.reach.host) : undefined;
  let prepared: Promise<void> | undefined;

  return {
    async open(session) {
      prepared ??= prepareDirectory(options.directory);
      await prepared;
      const handler = createDoorHandler({ log: options.log, dialer, registries, upstream }, session);
      const socketPath = await listenOnSocket(handler.server, options.directory);
      const [entry, admitted] = await Promise.all([host.admit(handler), network?.admit(socketPath)]);
      const forHost = (path: string) => ({
        url: `${entry.url}${path}`,
        headers: { authorization: entry.authorization },
      });
      const door: GatewayDoor = {
        socketPath,
        address: admitted?.address ?? { socket: socketPath },
        refsPushed: handler.refsPushed,
        hostRemote: (repository) => forHost(gitPath(repository)),
        hostModel: (provider) => forHost(`/model/${provider}`),
        hostToolServer: (slug) => forHost(toolServerPath(slug)),
        // Where nothing can be installed nobody waits for what it could be installed from. Variables depend on npm's alone.
        environment: async (gatewayUrl) =>
          sandboxEnvironment(
            gatewayUrl,
            session,
            handler.networkMode() === 'none' ? undefined : await options.registries(['npm']),
          ),
        setNetwork: (mode, allowedHosts) => handler.setNetwork(mode, allowedHosts),
        setPush: (repository, right) => handler.setPush(repository, right),
        async close() {
          doors.delete(door);
          entry.dismiss();
          admitted?.dismiss();
          await handler.close();
          await removeSocket(socketPath);
        },
      };
      doors.add(door);
      return door;
    },
    async close() {
      await Promise.all([...doors].map((door) => door.close()));
      await Promise.all([host.close(), network?.close()]);
      registries.close();
      upstream.close();
      // It lies outside of the data directory, where nobody would look for it.
      await removeSockets(options.directory).catch(() => undefined);
      await rmdir(options.directory).catch(() => undefined);
    },
  };
}

async function prepareDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await chmod(directory, 0o700);
  await removeSockets(directory);
}

/** Those that a killed worker left: nothing listens on them. */
async function removeSockets(directory: string): Promise<void> {
  for (const name of await readdir(directory)) if (name.endsWith('.sock')) await removeSocket(join(directory, name));
}

interface HostEntry {
  admit(handler: DoorHandler): Promise<{ url: string; authorization: string; dismiss(): void }>;
  close(): Promise<void>;
}

/** One loopback listener for all doors; the bearer says which. Other users of the host can connect, so it is not guessable. */
function createHostEntry(): HostEntry {
  const admitted = new Map<string, DoorHandler>();
  let listening: Promise<{ server: Server; url: string }> | undefined;
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const handler = admitted.get(digest(request.headers.authorization ?? ''));
    if (handler === undefined) answerText(response, 403, 'This is for the worker itself.');
    else handler.serveHost(request, response);
  };
  return {
    async admit(handler) {
      listening ??= listen(onRequest);
      const { url } = await listening;
      const authorization = `Bearer ${randomBytes(32).toString('base64url')}`;
      const key = digest(authorization);
      admitted.set(key, handler);
      return { url, authorization, dismiss: () => admitted.delete(key) };
    },
    async close() {
      if (listening === undefined) return;
      const { server } = await listening;
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      server.closeAllConnections();
      await promise;
    },
  };
}

async function listen(onRequest: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer({ requestTimeout: 0 }, onRequest);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  server.off('error', reject);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the host entry has no port');
  return { server, url: `http://127.0.0.1:${address.port}` };
}

/** Looked up by digest, so that how long a wrong one takes tells nothing about a right one. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
