import { describe, expect, test } from 'vitest';
import { providerAt } from '../../../test/support/models.ts';
import { readConfig } from '../../config/config.ts';
import { resolveModel, type ModelKind } from '../../lib/models.ts';
import { createModelPrices, describeModel } from './prices.ts';

const count = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0, cacheWriteHourTokens: 0 };
const at = (kind: ModelKind) => providerAt('http://127.0.0.1', kind);
const sonnet = { provider: at('anthropic'), name: 'claude-sonnet-4-6' };

describe('published prices', () => {
  const prices = createModelPrices(new Map());

  test('tell fresh, cached and written input apart', () => {
    const cost = (more: Partial<typeof count>) => prices.costOf(sonnet, { ...count, ...more });
    expect(cost({ inputTokens: 100_000 })).toBeCloseTo(0.3);
    expect(cost({ outputTokens: 100_000 })).toBeCloseTo(1.5);
    expect(cost({ inputTokens: 100_000, cachedInputTokens: 100_000 })).toBeCloseTo(0.03);
    expect(cost({ inputTokens: 100_000, cacheWriteTokens: 100_000 })).toBeCloseTo(0.375);
    expect(cost({ inputTokens: 100_000, cacheWriteTokens: 100_000, cacheWriteHourTokens: 100_000 })).toBeCloseTo(0.6);
  });

  test('have tiers, which the estimate of a call follows', () => {
    const model = { provider: at('google'), name: 'gemini-2.5-pro' };
    expect(prices.priceOf(model, 1_000)).toEqual({ input: expect.closeTo(1.25e-6), output: expect.closeTo(10e-6) });
    expect(prices.priceOf(model, 300_000)).toEqual({ input: expect.closeTo(2.5e-6), output: expect.closeTo(15e-6) });
    expect(prices.priceOf(model, 0)?.input).toBeCloseTo(1.25e-6);
  });

  test('survive counts that contradict themselves', () => {
    const impossible = {
      ...count,
      inputTokens: 10,
      cachedInputTokens: 50,
      cacheWriteTokens: 5,
      cacheWriteHourTokens: 9,
    };
    expect(prices.costOf(sonnet, impossible)).toBeGreaterThan(0);
  });

  test('are none for what nobody published', () => {
    for (const model of [
      { provider: at('openai_compatible'), name: 'gpt-5' },
      { provider: at('openai'), name: 'no-such-model' },
    ]) {
      expect(prices.priceOf(model, 1_000)).toBeUndefined();
      expect(prices.costOf(model, { ...count, inputTokens: 1_000 })).toBe(0);
      expect(describeModel(model)).toEqual({ contextTokens: 128_000 });
    }
  });

  test('are not those of what an organization reaches at a URL of its own', () => {
    const relay = { ...sonnet, provider: { ...sonnet.provider, published: false } };
    expect(prices.priceOf(relay, 1_000)).toBeUndefined();
    expect(prices.sourceOf(relay)).toBe('none');
    expect(prices.sourceOf(sonnet)).toBe('published');
    expect(prices.costOf(relay, { ...count, inputTokens: 1_000 })).toBe(0);
    expect(describeModel(relay)).toEqual(describeModel(sonnet));
  });

  test.each(['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'])(
    'know the default model of %s, and a context that work fits into',
    (variable) => {
      const model = resolveModel(readConfig([], { [variable]: 'k' }).models, '').ok ?? expect.fail('no default');
      expect(prices.priceOf(model, 1_000)?.output).toBeGreaterThan(0);
      expect(describeModel(model).contextTokens).toBeGreaterThan(128_000);
    },
  );
});

test("someone's own prices come first, and cached input costs the same unless they say otherwise", () => {
  const own = new Map([['anthropic/claude-sonnet-4-6', { input: 1, output: 2 }]]);
  const prices = createModelPrices(own);
  expect(prices.priceOf(sonnet, 9)).toEqual({ input: 1e-6, output: 2e-6 });
  const used = { ...count, inputTokens: 1_000_000, cachedInputTokens: 500_000, outputTokens: 1_000_000 };
  expect(prices.costOf(sonnet, used)).toBeCloseTo(3);
  expect(prices.sourceOf(sonnet)).toBe('operator');
  const theirs = new Map([['anthropic/claude-sonnet-4-6', { input: 1, output: 2, source: 'organization' } as const]]);
  expect(createModelPrices(theirs).sourceOf(sonnet)).toBe('organization');
});
