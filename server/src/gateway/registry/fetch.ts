import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { createSecureContext, getCACertificates } from 'node:tls';
import { checkUrl, DialError, type Dialer } from '../net/dial.ts';
import { sendUpstream, type Exchange } from '../net/forward.ts';
import type { Registry, Tool } from './registries.ts';
import { isOwnPath } from './links.ts';

export interface Fetched {
  readonly answer: IncomingMessage;
  readonly upstream: ClientRequest;
  /** The final URL, after redirects. */
  readonly url: URL;
}

/** A client for package registries. Follows redirects, as registries redirect to their file hosts. */
export interface RegistryClient {
  /**
   * Sends the operator's credential and the client's `headers` to the registry's own paths only, never after a redirect
   * elsewhere. Rejects with EgressRefused, DialError or the socket's error.
   */
  fetch(exchange: Exchange, asked: Asked): Promise<Fetched>;
  close(): void;
}

interface Asked {
  readonly tool: Tool;
  readonly registry: Registry;
  readonly url: URL;
  readonly headers: OutgoingHttpHeaders;
  readonly encoding: 'gzip' | 'identity';
}

const maxRedirects = 5;

export function createRegistryClient(dialer: Dialer): RegistryClient {
  const plainAgent = new HttpAgent({ keepAlive: true, maxFreeSockets: 16 });
  const secureAgents = new Map<string, HttpsAgent>();

  const agentFor = (registry: Registry, url: URL): HttpAgent | HttpsAgent => {
    if (url.protocol === 'http:') return plainAgent;
    const key = (registry.ca ?? []).join('\n');
    const known = secureAgents.get(key);
    if (known !== undefined) return known;
    const agent = new HttpsAgent({
      keepAlive: true,
      maxFreeSockets: 16,
      ...(registry.ca === undefined
        ? {}
        : { secureContext: createSecureContext({ ca: [...getCACertificates('default'), ...registry.ca] }) }),
    });
    secureAgents.set(key, agent);
    return agent;
  };

  const send = async (exchange: Exchange, { registry, headers, encoding }: Asked, url: URL, isOwn: boolean) => {
    const checked = await checkUrl(dialer, url, 'http', { exempt: isOwn, isCommon: true });
    const { authorization } = registry;
    const upstream = dialer.request(url, checked, {
      method: exchange.request.method ?? 'GET',
      headers: {
        // The headers of a sandbox without a network could leak data to the owner of the other end.
        'user-agent': 'guildhall',
        'accept-encoding': encoding,
        ...(isOwn ? headers : {}),
        ...(isOwn && authorization !== undefined ? { authorization } : {}),
      },
      agent: agentFor(registry, url),
    });
    return { upstream, answer: await sendUpstream(exchange, upstream, undefined) };
  };

  return {
    async fetch(exchange, asked) {
      let { url } = asked;
      let isOwn = true;
      for (let hop = 0; hop <= maxRedirects; hop += 1) {
        // Another host may redirect back to any path of the registry.
        isOwn &&= isOwnPath(asked.tool, asked.registry, url);
        const { upstream, answer } = await retryStale(exchange, () => send(exchange, asked, url, isOwn));
        const location = isRedirect(answer.statusCode) ? answer.headers.location : undefined;
        if (location === undefined) return { upstream, answer, url };
        answer.resume();
        const next = URL.parse(location, url.href);
        if (next === null || !/^https?:$/.test(next.protocol) || next.username !== '' || next.password !== '')
          throw new DialError('The registry redirects to an invalid URL.');
        url = next;
      }
      throw new DialError('The registry redirects too many times.');
    },
    close() {
      plainAgent.destroy();
      for (const agent of secureAgents.values()) agent.destroy();
    },
  };
}

function isRedirect(status: number | undefined): boolean {
  return status !== undefined && [301, 302, 303, 307, 308].includes(status);
}

/** Retries when a kept connection was closed by the other side at the moment it was reused. */
async function retryStale<T>(exchange: Exchange, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ECONNRESET' && code !== 'EPIPE') throw error;
    if (exchange.response.destroyed) throw error;
    return send();
  }
}
