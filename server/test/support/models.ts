import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { EgressRule } from '../../src/config/config.ts';
import type { Lookup } from '../../src/gateway/net/dial.ts';
import type { GatewaySession, ModelCall, ModelPermit, ModelUsage } from '../../src/gateway/session.ts';
import { modelKinds, type ModelConfig, type ModelKind, type ModelProvider } from '../../src/lib/models.ts';
import { createScratch, openWorld, startPeer, type Peer, type World } from './gateway.ts';

/** The key of the tests' operator. */
export const operatorKey = 'sk-the-operators-own-0123456789';

export interface Asked {
  readonly request: IncomingMessage;
  readonly body: Record<string, unknown>;
}

/** Starts a model provider that responds as told, byte by byte, and records its requests. */
export async function startProvider(
  answer: (response: ServerResponse, asked: Asked) => void,
): Promise<Peer & { asked: Asked[] }> {
  const asked: Asked[] = [];
  const peer = await startPeer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      const body: Record<string, unknown> = JSON.parse(Buffer.concat(chunks).toString());
      asked.push({ request, body });
      answer(response, { request, body });
    });
  });
  return { ...peer, asked };
}

/** A gateway endpoint for models, with its permitted and settled calls. */
export interface ModelWorld extends World {
  readonly calls: ModelCall[];
  readonly settled: ModelUsage[];
  /** Resolves with the next settlement. */
  nextSettled(): Promise<ModelUsage>;
}

export interface ModelWorldOptions {
  /** The base URL of every provider, without the API's version. */
  url: string;
  directory: string;
  permit?: { maxOutputTokens: number } | Extract<ModelPermit, { allowed: false }>;
  /** Awaited before each settlement. */
  beforeSettled?: () => Promise<void>;
  session?: Partial<GatewaySession>;
  key?: string;
  prices?: ModelConfig['prices'];
  /** Replaces the default of one provider per kind, named like its kind. */
  providers?: readonly ModelProvider[];
  egressAllow?: EgressRule[];
  lookup?: Lookup;
  modelIdleTimeoutMs?: number;
  modelCallTimeoutMs?: number;
}

/** Returns a provider of the tests' operator, named like its kind. */
export function providerAt(url: string, kind: ModelKind, key = operatorKey): ModelProvider {
  return {
    name: kind,
    kind,
    url: `${url}/${kind === 'google' ? 'v1beta' : 'v1'}`,
    key: async () => key,
    operators: true,
    published: kind !== 'openai_compatible',
  };
}

export async function openModelWorld(options: ModelWorldOptions): Promise<ModelWorld> {
  const { permit = { maxOutputTokens: Infinity } } = options;
  const calls: ModelCall[] = [];
  const settled: ModelUsage[] = [];
  const waiting: ((usage: ModelUsage) => void)[] = [];
  const settle = async (usage: ModelUsage): Promise<void> => {
    await options.beforeSettled?.();
    settled.push(usage);
    for (const resolve of waiting.splice(0)) resolve(usage);
  };
  const world = await openWorld(
    {
      directory: join(options.directory, 'doors'),
      egressAllow: options.egressAllow ?? [],
      ...(options.lookup === undefined ? {} : { lookup: options.lookup }),
      modelIdleTimeoutMs: options.modelIdleTimeoutMs ?? 20_000,
      ...(options.modelCallTimeoutMs === undefined ? {} : { modelCallTimeoutMs: options.modelCallTimeoutMs }),
    },
    {
      permitModel: async (call) => {
        calls.push(call);
        return 'allowed' in permit ? permit : { allowed: true, settle, ...permit };
      },
      models: {
        providers: options.providers ?? modelKinds.map((kind) => providerAt(options.url, kind, options.key)),
        prices: options.prices ?? new Map(),
      },
      ...options.session,
    },
  );
  return { ...world, calls, settled, nextSettled: () => new Promise((resolve) => waiting.push(resolve)) };
}

/** Sends a request as the worker does. The path may have a query; an object is sent as JSON. */
export function askModel(
  world: World,
  provider: string,
  path: string,
  body: unknown,
  options: { headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Response> {
  const { url, headers } = world.endpoint.hostModel(provider);
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...options.headers, ...headers },
    body: typeof body === 'string' || body instanceof Buffer ? body : JSON.stringify(body),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
}

/** Opens providers and gateway endpoints for the tests of a file, and closes them after each test. */
export function modelWorlds() {
  let scratch: Awaited<ReturnType<typeof createScratch>>;
  beforeEach(async () => {
    scratch = await createScratch();
  });
  afterEach(() => scratch.dispose());
  return {
    provide: (answer: Parameters<typeof startProvider>[0]) => scratch.closing(startProvider(answer)),
    open: ({ url }: { url: string }, options: Partial<ModelWorldOptions> = {}) =>
      scratch.closing(openModelWorld({ url, directory: scratch.path, ...options })),
  };
}
