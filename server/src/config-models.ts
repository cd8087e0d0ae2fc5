import { Type } from 'typebox';
import { ConfigError, parse } from './config-values.ts';
import {
  modelProviders,
  parseModelName,
  resolveModel,
  type ModelConfig,
  type ModelEndpoint,
  type ModelName,
  type ModelPrice,
  type ModelProviderId,
} from './lib/models.ts';

/** The variables that hold keys of models. */
export const modelKeys = new Set([
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'GEMINI_API_KEY',
]);

/** Able to write code and priced in the middle, as of the AI SDK and the price list that are installed. */
const defaultModels: Partial<Record<ModelProviderId, string>> = {
  anthropic: 'claude-sonnet-5',
  openai: 'gpt-6-sol',
  google: 'gemini-3.8-flash',
};

/** `read` answers `''` for a variable that is not set. Throws {@link ConfigError}. */
export function models(read: (name: string) => string, needsKeys: boolean): ModelConfig {
  const endpoints = Object.freeze(modelEndpoints(read));
  const first = modelProviders.find((provider) => endpoints[provider] !== undefined);
  const name = first === undefined ? undefined : defaultModels[first];
  const wanted = read('GUILDHALL_MODEL');
  const fallback = first === undefined || name === undefined ? undefined : { provider: first, name };
  return Object.freeze({
    endpoints,
    defaultModel: wanted === '' ? fallback : defaultModel(endpoints, wanted, needsKeys),
    prices: modelPrices(read('GUILDHALL_MODEL_PRICES')),
  });
}

function modelEndpoints(read: (name: string) => string): Partial<Record<ModelProviderId, ModelEndpoint>> {
  const endpoints: Partial<Record<ModelProviderId, ModelEndpoint>> = {};
  const add = (provider: ModelProviderId, url: string, key: string): void => {
    endpoints[provider] = Object.freeze({ url, key: () => key });
  };
  const anthropic = modelKey('ANTHROPIC_API_KEY', read);
  const anthropicUrl = modelUrl('ANTHROPIC_BASE_URL', read, 'https://api.anthropic.com');
  if (anthropic !== '') add('anthropic', /\/v\d+$/.test(anthropicUrl) ? anthropicUrl : `${anthropicUrl}/v1`, anthropic);
  const openai = modelKey('OPENAI_API_KEY', read);
  const compatibleUrl = modelUrl('OPENAI_BASE_URL', read, '');
  if (compatibleUrl !== '') add('openai-compatible', compatibleUrl, openai);
  else if (openai !== '') add('openai', 'https://api.openai.com/v1', openai);
  const google = modelKey('GOOGLE_GENERATIVE_AI_API_KEY', read) || modelKey('GEMINI_API_KEY', read);
  const googleUrl = modelUrl('GOOGLE_GENERATIVE_AI_BASE_URL', read, 'https://generativelanguage.googleapis.com');
  if (google !== '') add('google', /\/v\d+\w*$/.test(googleUrl) ? googleUrl : `${googleUrl}/v1beta`, google);
  return endpoints;
}

/** A key goes into a header as it is; the value is not repeated in the message. */
function modelKey(variable: string, read: (name: string) => string): string {
  const value = read(variable);
  if (!/^[\x21-\x7e]*$/.test(value))
    throw new ConfigError(`${variable} has characters that no key has; it must be printable ASCII without spaces.`);
  return value;
}

function modelUrl(variable: string, read: (name: string) => string, fallback: string): string {
  const value = read(variable);
  if (value === '') return fallback;
  const url = URL.parse(value);
  const plain = url !== null && `${url.username}${url.password}${url.search}${url.hash}` === '';
  if (!plain || !['http:', 'https:'].includes(url.protocol))
    throw new ConfigError(
      `${variable} ${value.includes('@') ? '' : `is ${JSON.stringify(value)}; it `}must be an http or https URL without user, password, query and fragment.`,
    );
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** An API process needs no keys, and so cannot tell whether the model's provider is configured. */
function defaultModel(endpoints: ModelConfig['endpoints'], wanted: string, needsKeys: boolean): ModelName | undefined {
  const { ok, problem } = resolveModel({ endpoints, defaultModel: undefined }, wanted);
  if (!needsKeys) return ok ?? parseModelName(wanted);
  if (ok === undefined) throw new ConfigError(`GUILDHALL_MODEL is ${JSON.stringify(wanted)}: ${problem}`);
  return ok;
}

function modelPrices(value: string): ReadonlyMap<string, ModelPrice> {
  if (value === '') return new Map();
  const price = Type.Number({ minimum: 0, maximum: 1_000_000 });
  const shape = Type.Object(
    { input: price, output: price, cached_input: Type.Optional(price) },
    { additionalProperties: false },
  );
  const problem =
    'GUILDHALL_MODEL_PRICES must be JSON such as {"openai-compatible/qwen3": {"input": 0.2, "output": 0.6, "cached_input": 0.05}}, in US dollars per million tokens.';
  let json: unknown;
  try {
    json = JSON.parse(value);
  } catch {
    throw new ConfigError(problem);
  }
  const prices = parse(Type.Record(Type.String(), shape), json, problem);
  for (const name of Object.keys(prices))
    if (parseModelName(name) === undefined)
      throw new ConfigError(
        `GUILDHALL_MODEL_PRICES has ${JSON.stringify(name)}; it must be <provider>/<name> with a provider of ${modelProviders.join(', ')}.`,
      );
  return new Map(Object.entries(prices));
}
