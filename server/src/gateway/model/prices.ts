import { calcPrice } from '@pydantic/genai-prices';
import { modelId, type Model, type ModelKind, type ModelPrice, type PriceSource } from '../../lib/models.ts';
import type { ModelCall } from '../session.ts';

/** The tokens of a call; the cached and written ones are included in the input. */
export interface TokenCount {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Read from a cache. */
  readonly cachedInputTokens: number;
  /** Written to a cache: all of them, and the part kept for an hour. */
  readonly cacheWriteTokens: number;
  readonly cacheWriteHourTokens: number;
}

export interface ModelPrices {
  /** Returns the price for a call with this many input tokens, as prices have tiers; undefined when unknown. */
  priceOf(model: Model, inputTokens: number): ModelCall['price'];
  /** Tells whose price a call is counted at. */
  sourceOf(model: Model): PriceSource;
  /** In US dollars; 0 without a price. */
  costOf(model: Model, count: TokenCount): number;
}

/** Looks up the organization's own prices by `<provider>/<name>` first, then the published ones in the installed package. */
export function createModelPrices(own: ReadonlyMap<string, ModelPrice>): ModelPrices {
  return {
    priceOf(model, inputTokens) {
      const price = own.get(modelId(model));
      if (price !== undefined) return { input: price.input / 1e6, output: price.output / 1e6 };
      const tokens = Math.max(1, inputTokens);
      const published = calculatePublished(model, { input_tokens: tokens, output_tokens: 1 });
      return published && { input: published.input_price / tokens, output: published.output_price };
    },
    sourceOf(model) {
      const price = own.get(modelId(model));
      if (price !== undefined) return price.source ?? 'operator';
      return calculatePublished(model, { input_tokens: 1 }) === undefined ? 'none' : 'published';
    },
    costOf(model, count) {
      const price = own.get(modelId(model));
      if (price !== undefined) return ownCost(price, count);
      return calculatePublished(model, consistent(count))?.total_price ?? 0;
    },
  };
}

/** Returns the known facts of a model; the context window defaults to 128,000 tokens. */
export function describeModel({ provider, name }: Model): { contextTokens: number } {
  return { contextTokens: calculate(provider.kind, name, { input_tokens: 1 })?.model.context_window ?? 128_000 };
}

function ownCost(price: ModelPrice, { inputTokens, cachedInputTokens, outputTokens }: TokenCount): number {
  const cached = Math.min(cachedInputTokens, inputTokens);
  const input = (inputTokens - cached) * price.input + cached * (price.cached_input ?? price.input);
  return (input + outputTokens * price.output) / 1e6;
}

/** Models behind a custom URL have no published price, whatever their name. */
function calculatePublished({ provider, name }: Model, usage: Record<string, number>) {
  return provider.published ? calculate(provider.kind, name, usage) : undefined;
}

function calculate(kind: ModelKind, name: string, usage: Record<string, number>) {
  return kind === 'openai_compatible' ? undefined : (calcPrice(usage, name, { providerId: kind }) ?? undefined);
}

/** Keeps parts within their totals. The numbers come from the provider, and the price list throws otherwise. */
function consistent(count: TokenCount): Record<string, number> {
  const cached = Math.min(count.cachedInputTokens, count.inputTokens);
  const written = Math.min(count.cacheWriteTokens, count.inputTokens - cached);
  return {
    input_tokens: count.inputTokens,
    output_tokens: count.outputTokens,
    cache_read_tokens: cached,
    cache_write_tokens: written,
    cache_write_1h_tokens: Math.min(count.cacheWriteHourTokens, written),
  };
}
