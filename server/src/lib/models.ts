/** The APIs of model providers: three vendors' formats, and chat completions as many servers speak them. */
export const modelKinds = ['anthropic', 'openai', 'google', 'openai_compatible'] as const;
export type ModelKind = (typeof modelKinds)[number];

/** A model as people name it: `<provider>/<name>`; the name may contain slashes. */
export interface ModelName {
  provider: string;
  name: string;
}

/** Parses `<provider>/<name>`; undefined when invalid. */
export function parseModelName(text: string): ModelName | undefined {
  const [provider = '', name = ''] = text.split(/\/(.*)/s);
  return provider === '' || name === '' ? undefined : { provider, name };
}

/** A provider of models and its endpoint. */
export interface ModelProvider {
  readonly name: string;
  readonly kind: ModelKind;
  /** The base URL with the API's version and without a trailing slash, e.g. `https://api.anthropic.com/v1`. */
  readonly url: string;
  /**
   * Returns the key; a function, so that a printed configuration contains no key. `''`: none is needed. Rejects with {@link
   * KeyMissing} when a required key is missing.
   */
  readonly key: () => Promise<string>;
  /** True when the operator configured it, so that its address is not checked. */
  readonly operators: boolean;
  /** True when the vendor's published prices apply. */
  readonly published: boolean;
}

/** A provider's key is missing; the message says what to configure. */
export class KeyMissing extends Error {}

/** In US dollars per million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Defaults to `input`. */
  readonly cached_input?: number;
  /** The owner of the setting that defines it; the operator by default. */
  readonly source?: 'organization' | 'operator';
}

/** The source of a call's price. */
export type PriceSource = 'organization' | 'operator' | 'published' | 'none';

/** The available models and their prices. */
export interface ModelConfig {
  /** The configured providers in order of precedence. */
  readonly providers: readonly ModelProvider[];
  /** The model of a session that names none; undefined when none is configured. */
  readonly defaultModel: ModelName | undefined;
  /** By `<provider>/<name>`; they override the published prices. */
  readonly prices: ReadonlyMap<string, ModelPrice>;
}

/** The variables that configure the environment's providers; any one of them suffices. */
const modelVariables = new Map([
  ['anthropic', ['ANTHROPIC_API_KEY']],
  ['openai', ['OPENAI_API_KEY', 'OPENAI_BASE_URL']],
  ['google', ['GOOGLE_GENERATIVE_AI_API_KEY']],
]);
const ownProviders = "or add a provider in the organization's settings models";

/** A model of a configured provider. */
export interface Model {
  readonly provider: ModelProvider;
  readonly name: string;
}

/** `<provider>/<name>`. */
export function modelId({ provider, name }: Model): string {
  return `${provider.name}/${name}`;
}

type ResolvedModel =
  | { readonly ok: Model; readonly problem?: undefined }
  | { readonly ok?: undefined; readonly problem: string };

/**
 * Resolves the model of a session that requests `wanted`: `<provider>/<name>`, a bare name (of the first configured provider),
 * or `''` for the default. A problem is a sentence that tells a person what to configure or to send.
 */
export function resolveModel(config: Pick<ModelConfig, 'providers' | 'defaultModel'>, wanted: string): ResolvedModel {
  const { providers, defaultModel } = config;
  if (providers.length === 0)
    return {
      problem: `No model provider is configured. Start Guildhall with one of the variables ${anyOf([...modelVariables.values()].flat())}, ${ownProviders}.`,
    };
  if (wanted === '') {
    if (defaultModel !== undefined) return resolveModel(config, `${defaultModel.provider}/${defaultModel.name}`);
    return {
      problem:
        "No default model is configured. Set GUILDHALL_MODEL to <provider>/<name>, or default in the organization's settings models.",
    };
  }
  if (!/^[\x21-\x7e]{1,200}$/.test(wanted))
    return { problem: 'A model must be named <provider>/<name>, with at most 200 characters and no spaces.' };
  const ok = modelNamed(providers, wanted);
  if (ok !== undefined) return { ok };
  const { provider = '' } = parseModelName(wanted) ?? {};
  const variables = provider === formerName ? ['OPENAI_BASE_URL'] : modelVariables.get(provider);
  const names = anyOf(providers.map(({ name }) => name));
  if (variables === undefined)
    return { problem: `${wanted} has an unknown provider. Use <provider>/<name> with ${names}.` };
  return {
    problem: `${wanted} needs the provider ${provider}, which is not configured. Choose a model of ${names}, start Guildhall with ${anyOf(variables)}, ${ownProviders}.`,
  };
}

/** The former name of a server at OPENAI_BASE_URL, now `openai`; stored sessions, prices and settings may still use it. */
const formerName = 'openai-compatible';

function modelNamed(providers: readonly ModelProvider[], wanted: string): Model | undefined {
  const [first] = providers;
  const parsed = parseModelName(wanted);
  if (parsed !== undefined) {
    const provider = providerNamed(providers, parsed.provider);
    if (provider !== undefined) return { provider, name: parsed.name };
  }
  // Only names at an OpenAI-compatible server contain slashes; elsewhere the prefix is a misspelt provider.
  const [head = ''] = wanted.split('/');
  const isBare = !wanted.includes('/') || (providers.length === 1 && first?.kind === 'openai_compatible');
  const isMeant = wanted.includes('/') && (modelVariables.has(head) || head === formerName || parsed === undefined);
  return first === undefined || !isBare || isMeant ? undefined : { provider: first, name: wanted };
}

/** Returns the provider of a model name. */
function providerNamed(providers: readonly ModelProvider[], name: string): ModelProvider | undefined {
  const found = providers.find((provider) => provider.name === name);
  if (found !== undefined || name !== formerName) return found;
  return providers.find((provider) => provider.name === 'openai' && provider.kind === 'openai_compatible');
}

/**
 * Adds the provider to a model name or pattern: `claude-*` becomes `<first provider>/claude-*`, or that of any provider when
 * none is configured.
 */
export function qualified(providers: readonly ModelProvider[], text: string): string {
  const model = modelNamed(providers, text);
  if (model !== undefined && !text.split('/')[0]?.includes('*')) return modelId(model);
  if (text.includes('/') || text === '*') return text;
  return `${providers[0]?.name ?? '*'}/${text}`;
}

/** Returns true for a provider name that the environment can configure, former names included. */
export function isEnvironmentProvider(name: string): boolean {
  return modelVariables.has(name) || name === formerName;
}

/** Parses a model of the environment under its current name; undefined when the environment has no such provider. */
export function parseEnvironmentModel(text: string): ModelName | undefined {
  const { provider = '', name = '' } = parseModelName(text) ?? {};
  if (provider === formerName) return { provider: 'openai', name };
  return modelVariables.has(provider) ? { provider, name } : undefined;
}

function anyOf(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
}
