import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Readable } from 'node:stream';
import type { ModelKind, ModelProvider } from '../../lib/models.ts';
import { checkUrl, type CheckedTarget, type Dialer } from '../net/dial.ts';

/** The provider said nothing for too long. */
export class ModelTimeout extends Error {}

export interface UpstreamCall {
  readonly provider: ModelProvider;
  readonly key: string;
  /** Below the provider's URL. */
  readonly path: string;
  /** With its question mark, or `''`. */
  readonly search: string;
  /** No credentials. */
  readonly headers: OutgoingHttpHeaders;
  /** One part behind the other. */
  readonly body: readonly Buffer[];
  /** Cuts the call, also in the middle of its answer. */
  readonly signal: AbortSignal;
}

/** The providers' side, shared by all doors so that connections are kept. */
export interface ModelUpstream {
  /**
   * Sends a call with the provider's key; redirects are not followed. A silence of more than the idle timeout ends it
   * with {@link ModelTimeout}, before the answer's head by rejecting, after it by destroying the answer. Rejects with `EgressRefused` when the
   * provider's address is not one that may be dialled.
   */
  send(call: UpstreamCall): Promise<IncomingMessage>;
  close(): void;
}

/** How long a name's checked addresses are used; a lookup for each call would be most of what a call costs here. */
const addressesKeptMs = 30_000;

/** Kept connections, by protocol. */
function createAgents() {
  return {
    'http:': new HttpAgent({ keepAlive: true, maxFreeSockets: 32 }),
    'https:': new HttpsAgent({ keepAlive: true, maxFreeSockets: 32 }),
  };
}

export function createModelUpstream(options: { dialer: Dialer; idleTimeoutMs: number }): ModelUpstream {
  // Apart: a name may lead to several addresses, of which only the operator's own provider may use the private ones.
  const operators = createAgents();
  const others = createAgents();
  const checked = new Map<string, { target: CheckedTarget; untilMs: number }>();

  const check = async (url: URL, exempt: boolean): Promise<CheckedTarget> => {
    const nowMs = performance.now();
    const known = checked.get(keyOf(url, exempt));
    if (known !== undefined && known.untilMs > nowMs) return known.target;
    // Organizations come and go.
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
    const outcome = await answerOf(request, call, options.idleTimeoutMs);
    if (outcome.error !== undefined) checked.delete(keyOf(url, provider.operators));
    return outcome;
  };

  return {
    async send(call) {
      const first = await attempt(call);
      // A kept connection may have been closed by the other side just when it was used again.
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
  // Written as the connection takes them: to encrypt many MiB takes its time.
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
