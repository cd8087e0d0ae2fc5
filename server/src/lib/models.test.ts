import { describe, expect, test } from 'vitest';
import { modelId, resolveModel, type ModelKind, type ModelName, type ModelProvider } from './models.ts';

type Named = [name: string, kind: ModelKind];

function provider([name, kind]: Named): ModelProvider {
  return { name, kind, url: '', key: async () => '', operators: true, published: false };
}

/** Returns `<provider>/<name>`, or the problem. */
function resolved(providers: Named[], wanted: string, defaultModel?: ModelName): string {
  const { ok, problem } = resolveModel({ providers: providers.map(provider), defaultModel }, wanted);
  return ok === undefined ? problem : modelId(ok);
}

const anthropic: Named = ['anthropic', 'anthropic'];
const openai: Named = ['openai', 'openai'];
const google: Named = ['google', 'google'];
/** The environment's provider for OPENAI_BASE_URL. */
const served: Named = ['openai', 'openai_compatible'];
const ours: Named = ['ours', 'openai_compatible'];

describe('the model of a session', () => {
  const sonnet: ModelName = { provider: 'anthropic', name: 'claude-sonnet-5' };

  test('is the default unless it names one', () => {
    expect(resolved([anthropic, google], '', sonnet)).toBe('anthropic/claude-sonnet-5');
  });

  test.each<[Named[], string, string]>([
    [[anthropic, served], 'anthropic/claude-sonnet-5', 'anthropic/claude-sonnet-5'],
    [[anthropic, served], 'openai/qwen/qwen3:30b', 'openai/qwen/qwen3:30b'],
    [[anthropic, ours], 'ours/qwen3', 'ours/qwen3'],
  ])('of %j that asks for %s is %s', (providers, wanted, model) => {
    expect(resolved(providers, wanted)).toBe(model);
  });

  test.each<[Named[], string, string]>([
    [[anthropic, served], 'claude-sonnet-5', 'anthropic/claude-sonnet-5'],
    [[ours, anthropic], 'claude-sonnet-5', 'ours/claude-sonnet-5'],
    [[served], 'qwen/qwen3', 'openai/qwen/qwen3'],
    [[ours], 'qwen/qwen3', 'ours/qwen/qwen3'],
  ])('with a name alone belongs to the first of %j: %s is %s', (providers, wanted, model) => {
    expect(resolved(providers, wanted)).toBe(model);
  });

  test('openai-compatible/<name> is openai where that has a URL of its own, unless a provider is called so', () => {
    expect(resolved([anthropic, served], 'openai-compatible/qwen/qwen3')).toBe('openai/qwen/qwen3');
    const own: Named = ['openai-compatible', 'openai_compatible'];
    expect(resolved([own, served], 'openai-compatible/qwen3')).toBe('openai-compatible/qwen3');
    expect(resolved([openai], 'openai-compatible/gpt-6-sol')).toContain('start Guildhall with OPENAI_BASE_URL');
  });

  test.each<[Named[], string, string]>([
    [
      [],
      '',
      'one of the variables ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENAI_BASE_URL or GOOGLE_GENERATIVE_AI_API_KEY, or',
    ],
    [[], 'anthropic/claude-sonnet-5', "or add a provider in the organization's settings models"],
    [[served], '', 'Set GUILDHALL_MODEL to <provider>/<name>'],
    [
      [google],
      'anthropic/claude-sonnet-5',
      'anthropic, which is not configured. Choose a model of google, start Guildhall with ANTHROPIC_API_KEY, or',
    ],
    [[ours], 'openai/gpt-6-sol', 'start Guildhall with OPENAI_API_KEY or OPENAI_BASE_URL'],
    [[google, ours], 'mistral/large', 'has an unknown provider. Use <provider>/<name> with google or ours.'],
    [[google, served], 'qwen/qwen3', 'has an unknown provider'],
    [[google], 'a b', 'no spaces'],
    [[google], 'google/', 'has an unknown provider'],
  ])('with %j, %j is a problem that says what to do', (providers, wanted, problem) => {
    expect(resolved(providers, wanted)).toContain(problem);
  });

  test('is no default of a provider that is gone', () => {
    expect(resolved([google], '', sonnet)).toContain('anthropic, which is not configured');
  });
});
