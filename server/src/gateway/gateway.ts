import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { EgressRule } from '../config/config.ts';
import type { Log } from '../lib/log.ts';
import { createDialer, type Lookup } from './net/dial.ts';
import { createEndpointHandler, type EndpointHandler } from './endpoint.ts';
import type { NetworkMode } from './net/egress.ts';
import { sandboxEnvironment } from './environment.ts';
import { answerText } from './net/forward.ts';
import { gitPath } from './git/route.ts';
import { createModelUpstream } from './model/upstream.ts';
import type { HostRegistries, Tool } from './registry/registries.ts';
import type { FileHosts } from './registry/links.ts';
import { createRegistryRoute } from './registry/route.ts';
import { createSandboxEntries } from './sandbox-entries.ts';
import { mcpServerPath } from './mcp-route.ts';
import type { EndpointAddress, GatewayReach, GatewaySession, PushedRef, PushRight, RepositoryName } from './session.ts';

export interface GatewayOptions {
  readonly log: Log;
  readonly egressAllow: readonly EgressRule[];
  /** Returns the host's package registries once those of `wanted` are known. Called when a session needs them. */
  readonly registries: (wanted: readonly Tool[]) => Promise<HostRegistries>;
  /** Additional hosts that the operator allows for package files. */
  readonly registryFiles?: FileHosts;
  /** The maximum silence of a model provider in milliseconds, before and within a response. */
  readonly modelIdleTimeoutMs?: number;
  /** The maximum time of a whole call to a model in milliseconds; default an hour. */
  readonly modelCallTimeoutMs?: number;
  /** An absolute path of at most 85 bytes that only this process uses. Removes sockets that an earlier process left there. */
  readonly directory: string;
  /** The way from sandboxes to the gateway; by default over sockets. */
  readonly reach?: GatewayReach;
  /** Instead of the system's resolver. */
  readonly lookup?: Lookup;
}

/** The only network access of all sandboxes of a worker. */
export interface Gateway {
  open(session: GatewaySession): Promise<GatewayEndpoint>;
  /** Closes every endpoint. */
  close(): Promise<void>;
}

/** The network access of one session. */
export interface GatewayEndpoint {
  /** HTTP on a unix socket: `/api/…`, `/git/…`, `/mcp/…`, `/model/…`, `/npm/…`, `/pip/…`, and a forward proxy for everything else. */
  readonly socketPath: string;
  /**
   * Returns the address for a sandbox: the socket, or the gateway's port on a network with this endpoint's token. The endpoint
   * listens from the first call on, because many sessions never start a sandbox. Throws ProviderError.
   */
  address(): Promise<EndpointAddress>;
  /** Every ref that a push through this endpoint has set, oldest first. */
  readonly refsPushed: readonly PushedRef[];
  /**
   * Returns the remote for the worker's own git: the same policy, over loopback, with a header that belongs to this endpoint
   * alone.
   */
  hostRemote(repository: RepositoryName): { url: string; headers: { authorization: string } };
  /**
   * Returns the base URL and headers for model calls of an agent in the worker. Append the provider's own path, e.g.
   * `/v1/messages`, and send the headers with every call; the client's own credentials are ignored. Valid even if the provider
   * is not configured.
   */
  hostModel(provider: string): { url: string; headers: { authorization: string } };
  /** Returns the URL and headers for an MCP server; valid even if the server is not configured. */
  hostMcpServer(slug: string): { url: string; headers: { authorization: string } };
  /** Returns the variables for a sandbox that reaches this endpoint at `gatewayUrl`, under the current network mode. */
  environment(gatewayUrl: string): Promise<Record<string, string>>;
  /** Sets the network mode and cuts open tunnels if anything changed. `allowedHosts` as in {@link GatewaySession}. */
  setNetwork(mode: NetworkMode, allowedHosts?: readonly string[]): void;
  /** Sets or revokes the right to push. Throws for a repository that is not the session's. */
  setPush(repository: RepositoryName, right: PushRight | undefined): void;
  /** Aborts requests in progress and resolves when their model calls are settled. Never fails. */
  close(): Promise<void>;
}

export function createGateway(options: GatewayOptions): Gateway {
  const dialer = createDialer(options);
  const registries = createRegistryRoute({ ...options, dialer });
  const upstream = createModelUpstream({
    dialer,
    idleTimeoutMs: options.modelIdleTimeoutMs ?? 120_000,
    callTimeoutMs: options.modelCallTimeoutMs ?? 3_600_000,
  });
  const endpoints = new Set<GatewayEndpoint>();
  const host = createHostEntry();
  const sandboxes = createSandboxEntries(options.directory, options.reach);

  return {
    async open(session) {
      const handler = createEndpointHandler({ log: options.log, dialer, registries, upstream }, session);
      const forSandbox = sandboxes.add(handler.server);
      const entry = await host.add(handler);
      const forHost = (path: string) => ({
        url: `${entry.url}${path}`,
        headers: { authorization: entry.authorization },
      });
      const endpoint: GatewayEndpoint = {
        socketPath: forSandbox.socketPath,
        address: () => forSandbox.address(),
        refsPushed: handler.refsPushed,
        hostRemote: (repository) => forHost(gitPath(repository)),
        hostModel: (provider) => forHost(`/model/${provider}`),
        hostMcpServer: (slug) => forHost(mcpServerPath(slug)),
        // Waits for npm's registries, on which variables depend, only if packages can be installed.
        environment: async (gatewayUrl) =>
          sandboxEnvironment(
            gatewayUrl,
            session,
            handler.networkMode() === 'none' ? undefined : await options.registries(['npm']),
          ),
        setNetwork: (mode, allowedHosts) => handler.setNetwork(mode, allowedHosts),
        setPush: (repository, right) => handler.setPush(repository, right),
        async close() {
          endpoints.delete(endpoint);
          entry.remove();
          await forSandbox.remove();
          await handler.close();
        },
      };
      endpoints.add(endpoint);
      return endpoint;
    },
    async close() {
      await Promise.all([...endpoints].map((endpoint) => endpoint.close()));
      await Promise.all([host.close(), sandboxes.close()]);
      registries.close();
      upstream.close();
    },
  };
}

interface HostEntry {
  add(handler: EndpointHandler): Promise<{ url: string; authorization: string; remove(): void }>;
  close(): Promise<void>;
}

/**
 * A loopback listener for all endpoints; the bearer token selects one. Other users of the host can connect, so the token is
 * random.
 */
function createHostEntry(): HostEntry {
  const admitted = new Map<string, EndpointHandler>();
  let listening: Promise<{ server: Server; url: string }> | undefined;
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const handler = admitted.get(digest(request.headers.authorization ?? ''));
    if (handler === undefined) answerText(response, 403, 'This address serves the worker only. Send its bearer token.');
    else handler.serveHost(request, response);
  };
  return {
    async add(handler) {
      listening ??= listen(onRequest);
      const { url } = await listening;
      const authorization = `Bearer ${randomBytes(32).toString('base64url')}`;
      const key = digest(authorization);
      admitted.set(key, handler);
      return { url, authorization, remove: () => admitted.delete(key) };
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
  server.listen({ port: 0, host: '127.0.0.1', exclusive: true }, resolve);
  await promise;
  server.off('error', reject);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The host listener has no port.');
  return { server, url: `http://127.0.0.1:${address.port}` };
}

/** Hashes a token for lookup, so that timing does not reveal how much of a wrong token matches. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
