import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { messageOf } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { KeyMissing, modelId, type Model, type ModelProvider } from '../../lib/models.ts';
import { EgressRefused } from '../net/dial.ts';
import { targetOf } from '../../lib/hosts.ts';
import { pickHeaders, type Exchange } from '../net/forward.ts';
import { answerModelError, relayAnswer, type Settlement } from './answer.ts';
import type { ModelPrices } from './prices.ts';
import { matchModelPath, type ModelPath } from './path.ts';
import { readModelRequest, UnusableModelRequest, type ModelRequest } from './request.ts';
import { ModelTimeout, type ModelUpstream, type UpstreamCall } from './upstream.ts';
import { memoryFull, type Allocation, type MessageMemory } from '../message-memory.ts';
import type { GatewayEvent, GatewaySession, ModelPermit } from '../session.ts';

export interface ModelPolicy {
  readonly log: Log;
  readonly upstream: ModelUpstream;
  readonly providers: readonly ModelProvider[];
  readonly prices: ModelPrices;
  /** Undefined when no models are available to the caller. */
  readonly permit: GatewaySession['permitModel'];
  /** Masks the texts of requests. */
  readonly mask: GatewaySession['mask'];
  /** For bodies, until the call ends. */
  readonly memory: MessageMemory;
  /** Aborts when the endpoint closes. */
  readonly closing: AbortSignal;
  holds(): Promise<boolean>;
  /** Returns why the session may not use a model; `''` when it may. */
  refusal(model: string): Promise<string>;
  event(event: GatewayEvent): void;
  /** Returns true when the provider may fetch URLs and run tools of its own. */
  mayReachOut(): boolean;
}

/** A call whose form is valid. */
interface Call {
  readonly model: Model;
  readonly path: ModelPath;
  readonly search: string;
  readonly request: ModelRequest;
  /** Aborts when the client disconnects or the endpoint closes. */
  readonly gone: AbortSignal;
}

/** Rejects a call; `refusal` is sent in `x-guildhall-refused`. */
class ModelAnswer extends Error {
  readonly status: number;
  readonly type: string;
  readonly refusal: 'model' | 'model_lease' | 'budget' | undefined;

  constructor(status: number, type: string, message: string, refusal?: ModelAnswer['refusal']) {
    super(message);
    this.status = status;
    this.type = type;
    this.refusal = refusal;
  }
}

/** The maximum size of a request body. */
const maxBodyBytes = 32 * 1024 * 1024;

/** Serves `/model/<provider>/<path of the provider>`. */
export async function serveModel(policy: ModelPolicy, exchange: Exchange, url: URL): Promise<void> {
  const { response } = exchange;
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  const gone = AbortSignal.any([closed.signal, policy.closing]);
  gone.addEventListener('abort', () => response.destroy(), { once: true });
  const held = policy.memory.allocate();
  try {
    const call = await readCall(policy, exchange, { url, gone, held });
    await forward(policy, exchange, call);
  } catch (error) {
    if (gone.aborted) return void response.destroy();
    if (!(error instanceof ModelAnswer)) {
      policy.log.error({ problem: messageOf(error) }, 'a model call failed in the gateway');
      return answerModelError(response, 503, 'api_error', 'The gateway could not forward the call.');
    }
    const { status, type, refusal: reason, message } = error;
    if (reason === 'model') policy.event({ kind: 'refused', reason, target: url.pathname.slice(0, 300), message });
    const headers = reason === undefined ? {} : { 'x-guildhall-refused': reason };
    answerModelError(response, status, type, message, headers);
  } finally {
    held.release();
  }
}

async function readCall(
  policy: ModelPolicy,
  exchange: Exchange,
  { url, gone, held }: { url: URL; gone: AbortSignal; held: Allocation },
): Promise<Call> {
  const { request } = exchange;
  const [, id = '', below = ''] = /^\/model\/([^/]+)(\/.*)$/.exec(url.pathname) ?? [];
  const provider = policy.providers.find(({ name }) => name === id);
  if (policy.permit === undefined)
    throw new ModelAnswer(403, 'permission_error', 'Models are not available to this session.', 'model');
  if (provider === undefined)
    throw new ModelAnswer(404, 'not_found_error', 'This session has no such model provider.', 'model');
  const path = matchModelPath(provider.kind, below);
  if (path === undefined)
    throw new ModelAnswer(
      404,
      'not_found_error',
      'No such path: the gateway does not serve it for this model provider.',
      'model',
    );
  if (request.method !== 'POST')
    throw new ModelAnswer(405, 'invalid_request_error', 'Method not allowed. Call models with POST.');
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new ModelAnswer(415, 'invalid_request_error', 'The body must not be compressed.');
  const asked = await parseRequest(policy, path, await readBody(request, held));
  const reach = policy.mayReachOut() ? undefined : asked.reach();
  if (reach !== undefined) {
    const message = `This sandbox has a restricted network, so the provider may not access other systems for it. Remove ${reach}.`;
    throw new ModelAnswer(403, 'permission_error', message, 'model');
  }
  const model = { provider, name: asked.name };
  const refusal = await policy.refusal(modelId(model));
  if (refusal !== '') throw new ModelAnswer(403, 'permission_error', refusal, 'model');
  return { model, path, search: searchOf(url), request: asked, gone };
}

async function parseRequest({ mask }: ModelPolicy, path: ModelPath, body: Buffer): Promise<ModelRequest> {
  try {
    return await readModelRequest(path, body, mask?.());
  } catch (error) {
    if (error instanceof UnusableModelRequest) throw new ModelAnswer(400, 'invalid_request_error', error.message);
    throw error;
  }
}

async function readBody(request: IncomingMessage, held: Allocation): Promise<Buffer> {
  const tooLarge = new ModelAnswer(413, 'request_too_large', 'The body exceeds 32 MiB. Send a smaller one.');
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) throw tooLarge;
  const chunks: Buffer[] = [];
  let size = 0;
  let isRefused = false;
  // Not `for await`: leaving the loop would destroy the connection before the response is sent.
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const refuse = (answer: ModelAnswer): void => {
    isRefused = true;
    chunks.length = 0;
    reject(answer);
  };
  request.on('data', (chunk: Buffer) => {
    if (isRefused) return;
    size += chunk.length;
    chunks.push(chunk);
    if (!held.add(chunk)) refuse(new ModelAnswer(429, 'rate_limit_error', memoryFull));
    else if (size > maxBodyBytes) refuse(tooLarge);
  });
  request.once('end', () => resolve(Buffer.concat(chunks)));
  request.once('error', reject);
  request.once('close', () => reject(new ModelAnswer(400, 'invalid_request_error', 'The request body ended early.')));
  return promise;
}

/** Filters the query. Google's `fields`, for example, could omit the usage, and `key` is a credential. */
function searchOf(url: URL): string {
  const kept = new URLSearchParams();
  const alt = url.searchParams.get('alt');
  if (alt === 'sse' || alt === 'json') kept.set('alt', alt);
  if (url.searchParams.get('beta') === 'true') kept.set('beta', 'true');
  return kept.size === 0 ? '' : `?${kept.toString()}`;
}

async function forward(policy: ModelPolicy, exchange: Exchange, call: Call): Promise<void> {
  if (call.path.counts) {
    if (!(await policy.holds()))
      throw new ModelAnswer(
        409,
        'lease_lost',
        'This run has lost its lease: another worker has taken over the session.',
        'model_lease',
      );
    return exchangeWith(policy, exchange, call, Infinity, freeOfCharge);
  }
  const { permit, maxOutputTokens } = await askPermit(policy, call);
  const settlement = createSettlement(policy, call, permit);
  try {
    await exchangeWith(policy, exchange, call, maxOutputTokens, settlement);
  } finally {
    // Releases the reservation exactly once, whatever happened.
    await settlement.settle(undefined);
  }
}

const freeOfCharge: Settlement = { settle: () => Promise.resolve() };

type Permit = Extract<ModelPermit, { allowed: true }>;

async function askPermit(policy: ModelPolicy, call: Call): Promise<{ permit: Permit; maxOutputTokens: number }> {
  const { inputTokens, maxOutputTokens } = call.request;
  const price = policy.prices.priceOf(call.model, inputTokens);
  const permit = await policy.permit?.({ model: modelId(call.model), inputTokens, maxOutputTokens, price });
  if (permit?.allowed === true) return { permit, maxOutputTokens: permit.maxOutputTokens };
  if (permit?.reason === 'budget') throw new ModelAnswer(402, 'budget_exhausted', permit.message, 'budget');
  throw new ModelAnswer(
    409,
    'lease_lost',
    permit?.message ?? 'Models are not available to this session.',
    'model_lease',
  );
}

/** Returns a settlement that settles the permit at the first call with its count; later calls wait for the same result. */
function createSettlement(policy: ModelPolicy, call: Call, permit: Permit): Settlement {
  const { model } = call;
  const startedMs = performance.now();
  let settled: Promise<void> | undefined;
  return {
    settle(count) {
      settled ??= (async () => {
        const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0, cacheWriteTokens = 0 } = count ?? {};
        const priceSource = policy.prices.sourceOf(model);
        const costUsd = count === undefined ? 0 : policy.prices.costOf(model, count);
        const durationMs = Math.round(performance.now() - startedMs);
        policy.log.debug({ model: modelId(model), inputTokens, outputTokens, durationMs }, 'a model call');
        await permit.settle({ inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, costUsd, priceSource });
      })();
      return settled;
    },
  };
}

/** The headers that are passed on. Credentials are excluded, and so is Google's field mask, which could omit the usage. */
const requestHeaders = ['accept', 'anthropic-beta', 'anthropic-version', 'openai-beta', 'user-agent'];

async function exchangeWith(
  policy: ModelPolicy,
  { request: incoming, response }: Exchange,
  call: Call,
  maxOutputTokens: number,
  settlement: Settlement,
): Promise<void> {
  const { path, search, request, gone } = call;
  const { provider } = call.model;
  const body = await request.limitedTo(maxOutputTokens);
  const sent = { provider, path: path.path, search, headers: headersFor(provider, incoming), body, signal: gone };
  const answered = await sendTo(policy, sent).catch(async (error: unknown) => {
    await settlement.settle(undefined);
    if (!gone.aborted) answerUnreachable(policy, response, provider, error);
  });
  if (answered === undefined) return;
  const { stream, inputTokens } = request;
  const details = { provider: provider.name, key: answered.key, format: path.format, stream, inputTokens, gone };
  await relayAnswer(response, answered.answer, details, settlement);
}

async function sendTo({ upstream }: ModelPolicy, call: Omit<UpstreamCall, 'key'>) {
  const key = await call.provider.key();
  return { key, answer: await upstream.send({ ...call, key }) };
}

function headersFor({ kind }: ModelProvider, incoming: IncomingMessage): OutgoingHttpHeaders {
  const version = kind === 'anthropic' ? { 'anthropic-version': '2023-06-01' } : {};
  return { ...version, ...pickHeaders(incoming.headers, requestHeaders) };
}

function answerUnreachable(
  policy: ModelPolicy,
  response: ServerResponse,
  { name, url }: ModelProvider,
  error: unknown,
): void {
  policy.log.warn({ provider: name, problem: messageOf(error) }, 'a model provider could not be reached');
  if (error instanceof ModelTimeout)
    answerModelError(response, 504, 'timeout_error', `The provider ${name} did not respond in time. Try again.`);
  else if (error instanceof KeyMissing)
    answerModelError(response, 502, 'api_error', error.message, { 'x-should-retry': 'false' });
  else if (error instanceof EgressRefused) {
    const { host, port } = targetOf(new URL(url));
    const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const opening = `The operator can allow it with GUILDHALL_EGRESS_ALLOW=model=${target}.`;
    answerModelError(response, 403, 'permission_error', `The provider ${name}: ${error.message} ${opening}`);
  } else
    answerModelError(
      response,
      502,
      'api_error',
      `The provider ${name} could not be reached, or the connection broke. Try again.`,
    );
}
