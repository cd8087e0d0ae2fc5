/** Who serves models: each by one wire format, configured by the operator. */
export const modelProviders = ['anthropic', 'openai', 'google', 'openai-compatible'] as const;
export type ModelProviderId = (typeof modelProviders)[number];

/** A model as people name it: `<provider>/<name>`; the name may contain slashes. */
export interface ModelName {
  provider: ModelProviderId;
  name: string;
}

/** Reads `<provider>/<name>`; undefined when it is not of this form. */
export function parseModelName(text: string): ModelName | undefined {
  const [id = '', name = ''] = text.split(/\/(.*)/s);
  const provider = modelProviders.find((candidate) => candidate === id);
  return provider === undefined || name === '' ? undefined : { provider, name };
}

/** Where a provider's models are, and with which key. */
export interface ModelEndpoint {
  /** The base URL with the API's version and without a trailing slash, e.g. `https://api.anthropic.com/v1`. */
  readonly url: string;
  /** A function, so that nothing that prints a configuration prints a key. `''`: none is needed. */
  readonly key: () => string;
}

/** In US dollars per million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** The same as `input` unless given. */
  readonly cached_input?: number;
}

/** What the operator says of models. */
export interface ModelConfig {
  /** The providers that are configured. */
  readonly endpoints: Readonly<Partial<Record<ModelProviderId, ModelEndpoint>>>;
  /** What a session uses that names none; undefined when nothing says which. */
  readonly defaultModel: ModelName | undefined;
  /** The operator's own prices, by `<provider>/<name>`; they come before the published ones. */
  readonly prices: ReadonlyMap<string, ModelPrice>;
}

/** The variables that configure a provider. */
const modelVariables = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY (without OPENAI_BASE_URL)',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
  'openai-compatible': 'OPENAI_BASE_URL',
} as const satisfies Record<ModelProviderId, string>;

type ResolvedModel =
  | { readonly ok: ModelName; readonly problem?: undefined }
  | { readonly ok?: undefined; readonly problem: string };

/**
 * The model that a session uses which asks for `wanted`: `<provider>/<name>`, a name alone of the first provider that is
 * configured, or `''` for the default. `openai` is the server at OPENAI_BASE_URL where that is set. A problem is a
 * sentence for a person that says what to configure or to write.
 */
export function resolveModel(config: Pick<ModelConfig, 'endpoints' | 'defaultModel'>, wanted: string): ResolvedModel {
  const configured = modelProviders.filter((provider) => config.endpoints[provider] !== undefined);
  const [only, ...others] = configured;
  if (only === undefined) return { problem: `No model is configured: set ${anyOf(Object.values(modelVariables))}.` };
  if (wanted === '') {
    if (config.defaultModel !== undefined) return { ok: config.defaultModel };
    return { problem: 'No default model is configured: set GUILDHALL_MODEL to openai-compatible/<name>.' };
  }
  if (!/^[\x21-\x7e]{1,200}$/.test(wanted))
    return { problem: 'A model is named <provider>/<name>, with at most 200 characters and no spaces.' };
  const named = parseModelName(wanted);
  if (named !== undefined) {
    if (config.endpoints[named.provider] !== undefined) return { ok: named };
    if (named.provider === 'openai' && config.endpoints['openai-compatible'] !== undefined)
      return { ok: { ...named, provider: 'openai-compatible' } };
    const variable = modelVariables[named.provider];
    return { problem: `${wanted} needs the provider ${named.provider}, which is not configured: set ${variable}.` };
  }
  // Only names at an OpenAI-compatible server have slashes of their own; anywhere else it is a provider misspelt.
  if (wanted.includes('/') && (only !== 'openai-compatible' || others.length > 0))
    return { problem: `${wanted} names no known provider: write <provider>/<name> with ${anyOf(modelProviders)}.` };
  return { ok: { provider: only, name: wanted } };
}

function anyOf(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
}
