import type { NetworkMode } from '../net/egress.ts';
import type { Exchange } from '../net/forward.ts';
import { createModelPrices } from './prices.ts';
import { serveModel, type ModelPolicy } from './route.ts';
import type { GatewaySession } from '../session.ts';

/** One session's access to models. */
export interface ModelEndpoint {
  /** Serves the worker. */
  serveHost(exchange: Exchange, url: URL): Promise<void>;
  /** Serves the sandbox, which has models only if the session allows it. */
  serveInside(exchange: Exchange, url: URL): Promise<void>;
  /** Aborts calls in progress and resolves when all are settled. */
  close(): Promise<void>;
}

export function createModelEndpoint(
  shared: Pick<ModelPolicy, 'upstream' | 'log' | 'event' | 'memory'>,
  session: GatewaySession,
  network: () => NetworkMode,
): ModelEndpoint {
  const closing = new AbortController();
  const underWay = new Set<Promise<void>>();
  const host: ModelPolicy = {
    ...shared,
    closing: closing.signal,
    providers: session.models?.providers ?? [],
    prices: createModelPrices(session.models?.prices ?? new Map()),
    refusal: async (model) => session.models?.refusal?.(model) ?? '',
    permit: session.permitModel?.bind(session),
    mask: session.mask?.bind(session),
    holds: () => session.holds(),
    mayReachOut: () => true,
  };
  const inside: ModelPolicy = {
    ...host,
    permit: session.modelsInside === true ? host.permit : undefined,
    mayReachOut: () => network() === 'open',
  };
  const serve = async (policy: ModelPolicy, exchange: Exchange, url: URL): Promise<void> => {
    const served = serveModel(policy, exchange, url);
    underWay.add(served);
    await served.finally(() => underWay.delete(served));
  };
  return {
    serveHost: (exchange, url) => serve(host, exchange, url),
    serveInside: (exchange, url) => serve(inside, exchange, url),
    async close() {
      closing.abort();
      await Promise.allSettled(underWay);
    },
  };
}
