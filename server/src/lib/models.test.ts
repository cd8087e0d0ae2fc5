import { describe, expect, test } from 'vitest';
import { resolveModel, type ModelConfig, type ModelName, type ModelProviderId } from './models.ts';

function configured(providers: ModelProviderId[], defaultModel?: ModelName): ModelConfig {
  const endpoints = Object.fromEntries(providers.map((provider) => [provider, { url: '', key: () => '' }]));
  return { endpoints, defaultModel, prices: new Map() };
}

describe('the model of a session', () => {
  const sonnet: ModelName = { provider: 'anthropic', name: 'claude-sonnet-5' };

  test('is the default unless it names one', () => {
    expect(resolveModel(configured(['anthropic', 'google'], sonnet), '')).toEqual({ ok: sonnet });
  });

  test('is named with its provider, or alone as one of the first that is configured', () => {
    const both = configured(['anthropic', 'openai-compatible']);
    expect(resolveModel(both, 'anthropic/claude-sonnet-5')).toEqual({ ok: sonnet });
    expect(resolveModel(both, 'openai-compatible/qwen/qwen3:30b')).toEqual({
      ok: { provider: 'openai-compatible', name: 'qwen/qwen3:30b' },
    });
    expect(resolveModel(both, 'claude-sonnet-5')).toEqual({ ok: sonnet });
    expect(resolveModel(configured(['openai-compatible']), 'qwen/qwen3')).toEqual({
      ok: { provider: 'openai-compatible', name: 'qwen/qwen3' },
    });
  });

  test('of openai is at OPENAI_BASE_URL where that is set', () => {
    expect(resolveModel(configured(['openai-compatible']), 'openai/qwen3')).toEqual({
      ok: { provider: 'openai-compatible', name: 'qwen3' },
    });
    expect(resolveModel(configured(['openai']), 'openai/gpt-6-sol')).toEqual({
      ok: { provider: 'openai', name: 'gpt-6-sol' },
    });
  });

  test.each<[ModelProviderId[], string, string]>([
    [[], '', 'set ANTHROPIC_API_KEY, OPENAI_API_KEY'],
    [[], 'anthropic/claude-sonnet-5', 'set ANTHROPIC_API_KEY, OPENAI_API_KEY'],
    [['openai-compatible'], '', 'set GUILDHALL_MODEL to openai-compatible/<name>'],
    [['google'], 'anthropic/claude-sonnet-5', 'anthropic, which is not configured: set ANTHROPIC_API_KEY'],
    [['google'], 'mistral/large', 'names no known provider'],
    [['google', 'openai-compatible'], 'qwen/qwen3', 'names no known provider'],
    [['google'], 'a b', 'no spaces'],
    [['google'], 'google/', 'names no known provider'],
  ])('with %j, %j is a problem that says what to do', (providers, wanted, problem) => {
    expect(resolveModel(configured(providers), wanted)).toEqual({ problem: expect.stringContaining(problem) });
  });
});
