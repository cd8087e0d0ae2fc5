import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Readable } from 'node:stream';
import type { ModelKind, ModelProvider } from '../../lib/models.ts';
import { checkUrl, type CheckedTarget, type Dialer } from '../net/dial.ts';

/** The provider was silent for too long, or did not end its response. */
export class ModelTimeout extends Error {}

export interface UpstreamCall {
  readonly provider: ModelProvider;
  readonly key: string;
  /** Relative to the provider's URL. */
  readonly path: string;
  /** Includes the question mark; `''` for none. */
  readonly search: string;
  /** Without credentials. */
  readonly headers: OutgoingHttpHeaders;
  /** The parts in order. */
  readonly body: readonly Buffer[];
  /** Aborts the call, also during its response. */
  readonly signal: AbortSignal;
}

/** The connections to providers, shared by all endpoints to keep them alive. */
export interface ModelUpstream {
  /**
   * Sends a call with the provider's key; does not follow redirects. A silence longer than the idle timeout, or a call longer than
   * its own, ends with {@link ModelTimeout}: it rejects before the response's head and destroys the response after it. Rejects
   * with `EgressRefused` when the provider's address is not allowed.
   */
  send(call: UpstreamCall): Promise<IncomingMessage>;
  close(): void;
}

/** The lifetime of a name's checked addresses in milliseconds; a lookup per call would dominate its latency. */
const addressesKeptMs = 30_000;

/** Creates the agents that keep connections alive, by protocol. */
function createAgents() {
  return {
    'http:': new HttpAgent({ keepAlive: true, maxFreeSockets: 32 }),
    'https:': new HttpsAgent({ keepAlive: true, maxFreeSockets: 32 }),
  };
}

interface Timeouts {
  idleTimeoutMs: number;
  /** For a whole call: keepalives of a provider are no silence. */
  callTimeoutMs: number;
}

export function createModelUpstream(options: { dialer: Dialer } & Timeouts): ModelUpstream {
  // Separate agents: a name may resolve to several addresses, and only the operator's own provider may use private ones.
  const operators = createAgents();
  const others = createAgents();
  const checked = new Map<string, { target: CheckedTarget; untilMs: number }>();

  const check = async (url: URL, exempt: boolean): Promise<CheckedTarget> => {
    const nowMs = performance.now();
    const known = checked.get(keyOf(url, exempt));
    if (known !== undefined && known.untilMs > nowMs) return known.target;
    // The keys vary with organizations, so old entries are dropped.
    for (const [key, { untilMs }] of checked) if (untilMs <= nowMs) checked.delete(key);
    const target = await checkUrl(options.dialer, url, 'model', { exempt });
    checked.set(keyOf(url, exempt), { target, untilMs: nowMs + addressesKeptMs });
    return target;
  };

  const attempt = async (call: UpstreamCall): Promise<Attempt> => {
    const { provider, key } = call;
    const url = new URL(`${provider.url}${call.path}${call.search}`);
    const target = await check(url, provider.operators);
    call.signal.throwIfAborted();
    const request = options.dialer.request(url, target, {
      method: 'POST',
      headers: {
        ...call.headers,
        ...credentials(provider.kind, key),
        'accept-encoding': 'identity',
        'content-length': call.body.reduce((sum, { length }) => sum + length, 0),
        'content-type': 'application/json',
      },
      agent: (provider.operators ? operators : others)[url.protocol === 'https:' ? 'https:' : 'http:'],
    });
    const outcome = await answerOf(request, call, options);
    if (outcome.error !== undefined) checked.delete(keyOf(url, provider.operators));
    return outcome;
  };

  return {
    async send(call) {
      const first = await attempt(call);
      // The other side may close a kept connection at the moment it is reused.
      const { answer, error } = first.stale ? await attempt(call) : first;
      if (answer === undefined) throw error;
      return answer;
    },
    close() {
      for (const agents of [operators, others]) for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

function keyOf({ origin }: URL, exempt: boolean): string {
  return exempt ? `operator's ${origin}` : origin;
}

interface Attempt {
  readonly answer?: IncomingMessage;
  readonly error?: unknown;
  /** True when a reused connection failed before any response. */
  readonly stale: boolean;
}

function answerOf(request: ClientRequest, { body, signal }: UpstreamCall, limits: Timeouts): Promise<Attempt> {
  const { promise, resolve } = Promise.withResolvers<Attempt>();
  const abort = (): void => {
    request.destroy(new Error('The client disconnected.'));
  };
  signal.addEventListener('abort', abort, { once: true });
  const limit = setTimeout(() => {
    request.destroy(new ModelTimeout('The model provider did not end its response in time.'));
  }, limits.callTimeoutMs);
  request.once('close', () => {
    clearTimeout(limit);
    signal.removeEventListener('abort', abort);
  });
  request.setTimeout(limits.idleTimeoutMs, () => {
    request.destroy(new ModelTimeout('The model provider was silent for too long.'));
  });
  request.once('response', (answer) => resolve({ answer, stale: false }));
  request.on('error', (error) => {
    const code = 'code' in error ? error.code : undefined;
    const stale = request.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE') && !signal.aborted;
    resolve({ error, stale });
  });
  // Written at the pace of the connection: encrypting many MiB takes time.
  Readable.from(body, { objectMode: false }).pipe(request);
  return promise;
}

function credentials(kind: ModelKind, key: string): OutgoingHttpHeaders {
  if (key === '') return {};
  switch (kind) {
    case 'anthropic':
      return { 'x-api-key': key };
    case 'google':
      return { 'x-goog-api-key': key };
    case 'openai':
    case 'openai_compatible':
      return { authorization: `Bearer ${key}` };
  }
}
