import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { ModelConfig, ModelEndpoint, ModelProviderId } from '../lib/models.ts';
import { checkUrl, type CheckedTarget, type Dialer } from './dial.ts';

/** The provider said nothing for too long. */
export class ModelTimeout extends Error {}

export interface UpstreamCall {
  readonly provider: ModelProviderId;
  readonly endpoint: ModelEndpoint;
  /** Below the endpoint's URL. */
  readonly path: string;
  /** With its question mark, or `''`. */
  readonly search: string;
  /** No credentials. */
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
  /** Cuts the call, also in the middle of its answer. */
  readonly signal: AbortSignal;
}

/** The providers' side, shared by all doors so that connections are kept. */
export interface ModelUpstream {
  readonly endpoints: ModelConfig['endpoints'];
  /**
   * Sends a call with the configured key; redirects are not followed. A silence of more than the idle timeout ends it
   * with {@link ModelTimeout}, before the answer's head by rejecting, after it by destroying the answer.
   */
  send(call: UpstreamCall): Promise<IncomingMessage>;
  close(): void;
}

/** How long a name's checked addresses are used; a lookup for each call would be most of what a call costs here. */
const addressesKeptMs = 30_000;

export function createModelUpstream(options: {
  dialer: Dialer;
  endpoints: ModelConfig['endpoints'];
  idleTimeoutMs: number;
}): ModelUpstream {
  const agents = {
    'http:': new HttpAgent({ keepAlive: true, maxFreeSockets: 32 }),
    'https:': new HttpsAgent({ keepAlive: true, maxFreeSockets: 32 }),
  };
  const checked = new Map<string, { target: CheckedTarget; untilMs: number }>();

  const check = async (url: URL): Promise<CheckedTarget> => {
    const known = checked.get(url.origin);
    if (known !== undefined && known.untilMs > performance.now()) return known.target;
    // The operator configured this endpoint, so its address is not judged.
    const target = await checkUrl(options.dialer, url, 'model', { exempt: true });
    checked.set(url.origin, { target, untilMs: performance.now() + addressesKeptMs });
    return target;
  };

  const attempt = async (call: UpstreamCall): Promise<Attempt> => {
    const url = new URL(`${call.endpoint.url}${call.path}${call.search}`);
    const target = await check(url);
    call.signal.throwIfAborted();
    const request = options.dialer.request(url, target, {
      method: 'POST',
      headers: {
        ...call.headers,
        ...credentials(call.provider, call.endpoint.key()),
        'accept-encoding': 'identity',
        'content-length': call.body.length,
        'content-type': 'application/json',
      },
      agent: url.protocol === 'https:' ? agents['https:'] : agents['http:'],
    });
    const outcome = await answerOf(request, call, options.idleTimeoutMs);
    if (outcome.error !== undefined) checked.delete(url.origin);
    return outcome;
  };

  return {
    endpoints: options.endpoints,
    async send(call) {
      const first = await attempt(call);
      // A kept connection may have been closed by the other side just when it was used again.
      const { answer, error } = first.stale ? await attempt(call) : first;
      if (answer === undefined) throw error;
      return answer;
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

interface Attempt {
  readonly answer?: IncomingMessage;
  readonly error?: unknown;
  /** Nothing came back on a connection that had been used before. */
  readonly stale: boolean;
}

function answerOf(request: ClientRequest, { body, signal }: UpstreamCall, idleTimeoutMs: number): Promise<Attempt> {
  const { promise, resolve } = Promise.withResolvers<Attempt>();
  const abort = (): void => {
    request.destroy(new Error('the client went away'));
  };
  signal.addEventListener('abort', abort, { once: true });
  request.once('close', () => signal.removeEventListener('abort', abort));
  request.setTimeout(idleTimeoutMs, () => {
    request.destroy(new ModelTimeout('the provider said nothing for too long'));
  });
  request.once('response', (answer) => resolve({ answer, stale: false }));
  request.on('error', (error) => {
    const code = 'code' in error ? error.code : undefined;
    const stale = request.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE') && !signal.aborted;
    resolve({ error, stale });
  });
  request.end(body);
  return promise;
}

function credentials(provider: ModelProviderId, key: string): OutgoingHttpHeaders {
  if (key === '') return {};
  switch (provider) {
    case 'anthropic':
      return { 'x-api-key': key };
    case 'google':
      return { 'x-goog-api-key': key };
    case 'openai':
    case 'openai-compatible':
      return { authorization: `Bearer ${key}` };
  }
}
