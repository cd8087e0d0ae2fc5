/** How a provider's models are asked: each by the wire format of one vendor, or by chat completions as many servers speak. */
export const modelKinds = ['anthropic', 'openai', 'google', 'openai_compatible'] as const;
export type ModelKind = (typeof modelKinds)[number];

/** A model as people name it: `<provider>/<name>`; the name may contain slashes. */
export interface ModelName {
  provider: string;
  name: string;
}

/** Reads `<provider>/<name>`; undefined when it is not of this form. */
export function parseModelName(text: string): ModelName | undefined {
  const [provider = '', name = ''] = text.split(/\/(.*)/s);
  return provider === '' || name === '' ? undefined : { provider, name };
}

/** Who serves models, and how it is reached. */
export interface ModelProvider {
  readonly name: string;
  readonly kind: ModelKind;
  /** The base URL with the API's version and without a trailing slash, e.g. `https://api.anthropic.com/v1`. */
  readonly url: string;
  /**
   * A function, so that nothing that prints a configuration prints a key. `''`: none is needed. Rejects with
   * {@link KeyMissing} when there should be one and is not.
   */
  readonly key: () => Promise<string>;
  /** The operator configured it, so its address is not judged. */
  readonly operators: boolean;
  /** Whether the vendor's published prices are what is paid here. */
  readonly published: boolean;
}

/** A provider's key is not to be had; the message says what to configure. */
export class KeyMissing extends Error {}

/** In US dollars per million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** The same as `input` unless given. */
  readonly cached_input?: number;
  /** Whose settings have it; the operator's unless told. */
  readonly source?: 'organization' | 'operator';
}

/** Where the price of a call came from. */
export type PriceSource = 'organization' | 'operator' | 'published' | 'none';

/** Which models there are, and what they cost. */
export interface ModelConfig {
  /** The providers that are configured, the first one before the others. */
  readonly providers: readonly ModelProvider[];
  /** What a session uses that names none; undefined when nothing says which. */
  readonly defaultModel: ModelName | undefined;
  /** By `<provider>/<name>`; they come before the published ones. */
  readonly prices: ReadonlyMap<string, ModelPrice>;
}

/** The variables that configure the environment's providers, each of which suffices. */
const modelVariables = new Map([
  ['anthropic', ['ANTHROPIC_API_KEY']],
  ['openai', ['OPENAI_API_KEY', 'OPENAI_BASE_URL']],
  ['google', ['GOOGLE_GENERATIVE_AI_API_KEY']],
]);
const ownProviders = "or add a provider in the organization's settings models";

/** A model of a provider that is configured. */
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
 * The model that a session uses which asks for `wanted`: `<provider>/<name>`, a name alone of the first provider that is
 * configured, or `''` for the default. A problem is a sentence for a person that says what to configure or to write.
 */
export function resolveModel(config: Pick<ModelConfig, 'providers' | 'defaultModel'>, wanted: string): ResolvedModel {
  const { providers, defaultModel } = config;
  if (providers.length === 0)
    return {
      problem: `No provider of models is configured. Start Guildhall with one of the variables ${anyOf([...modelVariables.values()].flat())}, ${ownProviders}.`,
    };
  if (wanted === '') {
    if (defaultModel !== undefined) return resolveModel(config, `${defaultModel.provider}/${defaultModel.name}`);
    return {
      problem:
        "No default model is configured: set GUILDHALL_MODEL to <provider>/<name>, or default in the organization's settings models.",
    };
  }
  if (!/^[\x21-\x7e]{1,200}$/.test(wanted))
    return { problem: 'A model is named <provider>/<name>, with at most 200 characters and no spaces.' };
  const ok = modelNamed(providers, wanted);
  if (ok !== undefined) return { ok };
  const { provider = '' } = parseModelName(wanted) ?? {};
  const variables = provider === formerName ? ['OPENAI_BASE_URL'] : modelVariables.get(provider);
  const names = anyOf(providers.map(({ name }) => name));
  if (variables === undefined)
    return { problem: `${wanted} names no known provider: write <provider>/<name> with ${names}.` };
  return {
    problem: `${wanted} needs the provider ${provider}, which is not configured: take a model of ${names}, start Guildhall with ${anyOf(variables)}, ${ownProviders}.`,
  };
}

/** What a server at OPENAI_BASE_URL was called before it was `openai`; stored sessions, prices and settings still say so. */
const formerName = 'openai-compatible';

function modelNamed(providers: readonly ModelProvider[], wanted: string): Model | undefined {
  const [first] = providers;
  const parsed = parseModelName(wanted);
  if (parsed !== undefined) {
    const provider = providerNamed(providers, parsed.provider);
    if (provider !== undefined) return { provider, name: parsed.name };
  }
  // Only names at an OpenAI-compatible server have slashes of their own; anywhere else it is a provider misspelt.
  const [head = ''] = wanted.split('/');
  const isBare = !wanted.includes('/') || (providers.length === 1 && first?.kind === 'openai_compatible');
  const isMeant = wanted.includes('/') && (modelVariables.has(head) || head === formerName || parsed === undefined);
  return first === undefined || !isBare || isMeant ? undefined : { provider: first, name: wanted };
}

/** The provider that a model's name means. */
function providerNamed(providers: readonly ModelProvider[], name: string): ModelProvider | undefined {
  const found = providers.find((provider) => provider.name === name);
  if (found !== undefined || name !== formerName) return found;
  return providers.find((provider) => provider.name === 'openai' && provider.kind === 'openai_compatible');
}

/**
 * A model, or a pattern of models, as it is written with its provider: `claude-*` is `<first provider>/claude-*`. One
 * alone of a provider that nobody knows here is of any.
 */
export function qualified(providers: readonly ModelProvider[], text: string): string {
  const model = modelNamed(providers, text);
  if (model !== undefined && !text.split('/')[0]?.includes('*')) return modelId(model);
  if (text.includes('/') || text === '*') return text;
  return `${providers[0]?.name ?? '*'}/${text}`;
}

/** Whether the operator may configure a provider of this name, or could when it was called so. */
export function isEnvironmentProvider(name: string): boolean {
  return modelVariables.has(name) || name === formerName;
}

/** A model of the environment's as it is named now; undefined when the environment has no such provider. */
export function parseEnvironmentModel(text: string): ModelName | undefined {
  const { provider = '', name = '' } = parseModelName(text) ?? {};
  if (provider === formerName) return { provider: 'openai', name };
  return modelVariables.has(provider) ? { provider, name } : undefined;
}

function anyOf(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
}
