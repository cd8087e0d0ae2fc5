import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { createSecureContext, getCACertificates } from 'node:tls';
import { checkUrl, DialError, type Dialer } from './dial.ts';
import { sendUpstream, type Exchange } from './forward.ts';
import type { Registry } from './registries.ts';

export interface Fetched {
  readonly answer: IncomingMessage;
  readonly upstream: ClientRequest;
  /** Where the answer came from in the end. */
  readonly url: URL;
}

/** Asks registries. Redirects are followed, as registries send to their file hosts; credentials stay with their origin. */
export interface RegistryClient {
  /** Rejects with EgressRefused, DialError or the socket's error. */
  fetch(exchange: Exchange, registry: Registry, url: URL, headers: OutgoingHttpHeaders): Promise<Fetched>;
  close(): void;
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

  const send = async (exchange: Exchange, registry: Registry, url: URL, headers: OutgoingHttpHeaders) => {
    const own = url.origin === registry.url.origin;
    const checked = await checkUrl(dialer, url, 'http', { exempt: own });
    const authorization = own ? registry.authorization : undefined;
    const upstream = dialer.request(url, checked, {
      method: exchange.request.method ?? 'GET',
      headers: { ...headers, ...(authorization === undefined ? {} : { authorization }) },
      agent: agentFor(registry, url),
    });
    return { upstream, answer: await sendUpstream(exchange, upstream, undefined) };
  };

  return {
    async fetch(exchange, registry, start, headers) {
      let url = start;
      for (let hop = 0; hop <= maxRedirects; hop += 1) {
        const { upstream, answer } = await retryStale(exchange, () => send(exchange, registry, url, headers));
        const location = isRedirect(answer.statusCode) ? answer.headers.location : undefined;
        if (location === undefined) return { upstream, answer, url };
        answer.resume();
        const next = URL.parse(location, url.href);
        if (next === null || !/^https?:$/.test(next.protocol) || next.username !== '' || next.password !== '')
          throw new DialError('The registry redirects to an address that cannot be used.');
        url = next;
      }
      throw new DialError('The registry redirects too often.');
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

/** A kept connection may have been closed by the other side just when it was used again. */
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
