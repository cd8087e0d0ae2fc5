import { Type } from 'typebox';
import { baseUrl, parse, UsageError } from './values.ts';
import {
  parseEnvironmentModel,
  resolveModel,
  type ModelConfig,
  type ModelKind,
  type ModelName,
  type ModelPrice,
  type ModelProvider,
} from '../lib/models.ts';
import { defaultModelOf, endpointOf, isModelKey } from '../lib/model-endpoints.ts';

/** The variables that hold keys of models. */
export const modelKeys = new Set([
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'GEMINI_API_KEY',
]);

/** Reads the operator's models. `read` returns `''` for an unset variable. Throws {@link UsageError}. */
export function models(read: (name: string) => string, needsKeys: boolean): ModelConfig {
  const providers = Object.freeze(environmentProviders(read));
  const wanted = read('GUILDHALL_MODEL');
  return Object.freeze({
    providers,
    defaultModel: wanted === '' ? firstDefault(providers) : defaultModel(providers, wanted, needsKeys),
    prices: modelPrices(read('GUILDHALL_MODEL_PRICES')),
  });
}

/** Returns the default model of the first provider with a known vendor; the models of other servers are unknown. */
function firstDefault(providers: readonly ModelProvider[]): ModelName | undefined {
  for (const { name: provider, kind } of providers) {
    const name = defaultModelOf(kind);
    if (name !== undefined) return { provider, name };
  }
  return undefined;
}

function environmentProviders(read: (name: string) => string): ModelProvider[] {
  const providers: ModelProvider[] = [];
  const add = (name: string, kind: ModelKind, url: string, key: string): void => {
    const published = kind !== 'openai_compatible';
    providers.push(Object.freeze({ name, kind, url, key: async () => key, operators: true, published }));
  };
  const anthropic = modelKey('ANTHROPIC_API_KEY', read);
  const anthropicUrl = endpointOf('anthropic', baseUrl('ANTHROPIC_BASE_URL', read('ANTHROPIC_BASE_URL')));
  if (anthropic !== '') add('anthropic', 'anthropic', anthropicUrl, anthropic);
  const openai = modelKey('OPENAI_API_KEY', read);
  const compatibleUrl = baseUrl('OPENAI_BASE_URL', read('OPENAI_BASE_URL'));
  if (compatibleUrl !== '') add('openai', 'openai_compatible', endpointOf('openai_compatible', compatibleUrl), openai);
  else if (openai !== '') add('openai', 'openai', endpointOf('openai', ''), openai);
  const google = modelKey('GOOGLE_GENERATIVE_AI_API_KEY', read) || modelKey('GEMINI_API_KEY', read);
  const googleUrl = endpointOf(
    'google',
    baseUrl('GOOGLE_GENERATIVE_AI_BASE_URL', read('GOOGLE_GENERATIVE_AI_BASE_URL')),
  );
  if (google !== '') add('google', 'google', googleUrl, google);
  return providers;
}

/** A key goes into a header as it is; the value is not repeated in the message. */
function modelKey(variable: string, read: (name: string) => string): string {
  const value = read(variable);
  if (!isModelKey(value))
    throw new UsageError(`${variable} has characters that no key has; it must be printable ASCII without spaces.`);
  return value;
}

/** An API process needs no keys, and so cannot tell whether the model's provider is configured. */
function defaultModel(providers: readonly ModelProvider[], wanted: string, needsKeys: boolean): ModelName | undefined {
  const { ok, problem } = resolveModel({ providers, defaultModel: undefined }, wanted);
  if (ok !== undefined) return { provider: ok.provider.name, name: ok.name };
  if (needsKeys) throw new UsageError(`GUILDHALL_MODEL is ${JSON.stringify(wanted)}, which cannot be used. ${problem}`);
  return parseEnvironmentModel(wanted);
}

function modelPrices(value: string): ReadonlyMap<string, ModelPrice> {
  if (value === '') return new Map();
  const price = Type.Number({ minimum: 0, maximum: 1_000_000 });
  const shape = Type.Object(
    { input: price, output: price, cached_input: Type.Optional(price) },
    { additionalProperties: false },
  );
  const problem =
    'GUILDHALL_MODEL_PRICES must be JSON such as {"openai/qwen3": {"input": 0.2, "output": 0.6, "cached_input": 0.05}}, in US dollars per million tokens.';
  let json: unknown;
  try {
    json = JSON.parse(value);
  } catch {
    throw new UsageError(problem);
  }
  const prices = parse(Type.Record(Type.String(), shape), json, problem);
  return new Map(
    Object.entries(prices).map(([text, cost]) => {
      const model = parseEnvironmentModel(text);
      if (model !== undefined) return [`${model.provider}/${model.name}`, cost];
      throw new UsageError(
        `GUILDHALL_MODEL_PRICES has ${JSON.stringify(text)}; it must be <provider>/<name> with a provider of anthropic, openai or google.`,
      );
    }),
  );
}
