import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type { Log } from '../lib/log.ts';
import { messageOf } from '../lib/errors.ts';
import { serveApi, type ApiPolicy } from './api-route.ts';
import { brokerPath, serveBroker } from './net/broker.ts';
import type { Dialer } from './net/dial.ts';
import type { NetworkMode } from './net/egress.ts';
import { answerText } from './net/forward.ts';
import { serveGit, type GitPolicy } from './git/route.ts';
import { createMcpRoute, type McpRoute } from './mcp-route.ts';
import { createModelEndpoint, type ModelEndpoint } from './model/endpoint.ts';
import type { ModelUpstream } from './model/upstream.ts';
import { proxyRequest, proxyTunnel, type ProxyPolicy } from './net/proxy.ts';
import type { RegistryRoute } from './registry/route.ts';
import { MessageMemory } from './message-memory.ts';
import { createSandboxServer } from './sandbox-server.ts';
import type {
  BrokerCredential,
  GatewayEvent,
  GatewaySession,
  PushedRef,
  PushRight,
  RepositoryName,
  McpServer,
} from './session.ts';

/** The dependencies that all endpoints of a gateway share. */
export interface EndpointContext {
  readonly log: Log;
  readonly dialer: Dialer;
  readonly registries: RegistryRoute;
  readonly upstream: ModelUpstream;
}

/** One session's endpoint: its state and its request handlers. */
export interface EndpointHandler {
  readonly refsPushed: readonly PushedRef[];
  networkMode(): NetworkMode;
  setNetwork(mode: NetworkMode, allowedHosts?: readonly string[]): void;
  setPush(repository: RepositoryName, right: PushRight | undefined): void;
  /** Serves requests of the worker itself: `/git/…`, `/mcp/…` and `/model/…`. */
  serveHost(request: IncomingMessage, response: ServerResponse): void;
  /** The server for the sandbox; not listening yet. */
  readonly server: Server;
  /** Closes every connection of the sandbox and aborts every model call. */
  close(): Promise<void>;
}

const none: readonly BrokerCredential[] = [];
const noServers: readonly McpServer[] = [];
/** The maximum number of different refusals reported per session. */
const maxRefusals = 200;
const ownPaths = /^\/(?:api|broker|git|mcp|model|npm|pip)\//;

export function createEndpointHandler(context: EndpointContext, session: GatewaySession): EndpointHandler {
  const { dialer } = context;
  const log = context.log.child({ session: session.id });
  const refsPushed: PushedRef[] = [];
  const rights = new Map(session.repositories.map((repository) => [keyOf(repository), repository.push]));
  let network = { mode: session.network, allowedHosts: session.allowedHosts };

  const report = createReporter(session);
  const event = (happened: GatewayEvent): void => {
    if (happened.kind === 'git_push') {
      const { kind: _kind, ...ref } = happened;
      refsPushed.push(ref);
    }
    if (report(happened)) log.info(happened, 'gateway');
  };
  const holds = () => session.holds();
  const pushRight: GitPolicy['pushRight'] = (repository) => rights.get(keyOf(repository));
  const git: GitPolicy = { dialer, repositories: session.repositories, holds, pushRight, event };
  const proxy = proxyPolicy(dialer, session, () => network, event);

  const memory = new MessageMemory();
  const model = createModelEndpoint({ upstream: context.upstream, log, event, memory }, session, () => network.mode);

  const servers = () => session.mcpServers?.() ?? noServers;
  const tools = createMcpRoute({ dialer, servers, holds, event, memory });

  const api = { dialer, api: session.api, mask: session.mask?.bind(session), memory };
  const dispatch = dispatcher(session, { api, git, model, tools, proxy, registries: context.registries, event });
  const guarded = (serve: Serve) => (request: IncomingMessage, response: ServerResponse) => {
    response.on('error', () => response.destroy());
    serve(request, response).catch((error: unknown) => {
      log.error({ problem: messageOf(error) }, 'a gateway request failed');
      answerText(response, 500, 'Internal gateway error.');
    });
  };
  const sandbox = createSandboxServer(guarded(dispatch), (request, socket, head) => {
    proxyTunnel(proxy, request, socket, head).catch((error: unknown) => {
      log.error({ problem: messageOf(error) }, 'a gateway tunnel failed');
      socket.destroy();
    });
  });
  return {
    refsPushed,
    networkMode: () => network.mode,
    server: sandbox.server,
    close: async () => void (await Promise.all([model.close(), sandbox.close()])),
    setNetwork(mode, allowedHosts = network.allowedHosts) {
      if (!isDeepStrictEqual(network, { mode, allowedHosts })) sandbox.cutTunnels();
      network = { mode, allowedHosts };
    },
    setPush(repository, right) {
      if (!rights.has(keyOf(repository))) throw new Error(`This session has no repository ${keyOf(repository)}.`);
      rights.set(keyOf(repository), right);
    },
    serveHost: guarded(hostDispatcher({ git, model, tools })),
  };
}

function proxyPolicy(
  dialer: Dialer,
  session: GatewaySession,
  network: ProxyPolicy['network'],
  event: (event: GatewayEvent) => void,
): ProxyPolicy {
  const credentials = (): readonly BrokerCredential[] => session.broker?.() ?? none;
  return {
    dialer,
    broker: { dialer, credentials, network: () => network().mode, event },
    purpose: session.purpose ?? 'http',
    network,
    refused: ({ reason, message }, target) => event({ kind: 'refused', reason, target, message }),
  };
}

type Serve = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Routes a sandbox's plain requests by their target. */
function dispatcher(
  session: Pick<GatewaySession, 'purpose'>,
  routes: {
    api: ApiPolicy;
    git: GitPolicy;
    model: ModelEndpoint;
    tools: McpRoute;
    proxy: ProxyPolicy;
    registries: RegistryRoute;
    event(event: GatewayEvent): void;
  },
): Serve {
  const { api, git, model, tools, proxy, registries } = routes;
  if (session.purpose !== undefined) return proxyAlone(proxy);
  return async (request, response) => {
    const exchange = { request, response };
    const url = requestUrl(request);
    if (url === undefined) return answerText(response, 400, 'The request target is invalid.');
    if (isProxied(request, url)) return proxyRequest(proxy, exchange, url);
    if (url.pathname.startsWith('/api/')) return serveApi(api, exchange, url);
    if (url.pathname.startsWith('/git/')) return serveGit(git, exchange, url);
    if (url.pathname.startsWith('/model/')) return model.serveInside(exchange, url);
    if (tools.serves(url.pathname)) return tools.serve(exchange, url);
    if (url.pathname.startsWith(brokerPath)) return serveBroker(proxy.broker, exchange, url);
    const policy = { network: proxy.network().mode, event: (event: GatewayEvent) => routes.event(event) };
    if (registries.serves(url.pathname)) return registries.serve(exchange, url, policy);
    return answerText(response, 404, 'No such path on the gateway.');
  };
}

/** Serves proxied requests only, for a sandbox that visits arbitrary sites: they must not reach the gateway's own paths. */
function proxyAlone(proxy: ProxyPolicy): Serve {
  return async (request, response) => {
    const url = (request.url ?? '').startsWith('/') ? undefined : requestUrl(request);
    if (url === undefined) return answerText(response, 404, 'This endpoint serves proxy requests only.');
    return proxyRequest(proxy, { request, response }, url);
  };
}

/** Routes the worker's own requests. */
function hostDispatcher({ git, model, tools }: { git: GitPolicy; model: ModelEndpoint; tools: McpRoute }): Serve {
  return async (request, response) => {
    const url = requestUrl(request);
    if (url?.pathname.startsWith('/git/') === true) return serveGit(git, { request, response }, url);
    if (url?.pathname.startsWith('/model/') === true) return model.serveHost({ request, response }, url);
    if (url !== undefined && tools.serves(url.pathname)) return tools.serve({ request, response }, url);
    return answerText(response, 404, 'No such path. This endpoint serves git, models and MCP servers only.');
  };
}

/**
 * Returns a function that reports an event and returns true, or returns false for a refusal that repeats an earlier one or
 * exceeds the limit. Events are stored, so a sandbox that repeats a request must not fill the log.
 */
function createReporter(session: GatewaySession): (event: GatewayEvent) => boolean {
  const seen = new Set<string>();
  return (event) => {
    if (event.kind === 'refused') {
      const key = JSON.stringify(event);
      if (seen.has(key) || seen.size >= maxRefusals) return false;
      seen.add(key);
    }
    session.onEvent?.(event);
    return true;
  };
}

function keyOf({ provider, repo }: RepositoryName): string {
  return `${provider}/${repo}`;
}

/** Parses a request's target in origin form (below any base) or absolute form; undefined for any other form. */
function requestUrl(request: IncomingMessage): URL | undefined {
  const target = request.url ?? '';
  if (target.startsWith('/')) return URL.parse(`http://gateway${target}`) ?? undefined;
  return URL.parse(target) ?? undefined;
}

/**
 * Tells proxied requests from the gateway's own paths. A client without a proxy exception for loopback requests those in
 * absolute form too.
 */
function isProxied(request: IncomingMessage, url: URL): boolean {
  if ((request.url ?? '').startsWith('/')) return false;
  const loopback = url.protocol === 'http:' && /^(?:127\.0\.0\.1|localhost|\[::1\])$/.test(url.hostname);
  return !(loopback && ownPaths.test(url.pathname));
}
