import type { Context } from '../../app/context.ts';
import { endpointOf, isModelKey, isVendors } from '../../lib/model-endpoints.ts';
import {
  KeyMissing,
  parseEnvironmentModel,
  parseModelName,
  qualified,
  resolveModel,
  type ModelConfig,
  type ModelPrice,
  type ModelProvider,
} from '../../lib/models.ts';
import { matchesAny } from '../../lib/patterns.ts';
import type { ModelSettings, OwnProvider } from './namespaces/model-value.ts';

/** The models of an organization: its own providers before the environment's, and which of them may be used. */
export interface OrganizationModels extends ModelConfig {
  /** What a session asks for that names no model, nor its agent; `''` when nothing says which. */
  readonly default: string;
  /** `[]`: any. */
  readonly allowed: readonly string[];
  readonly proOnly: readonly string[];
}

/** The value of an organization's secret; undefined when there is none of this key that is for this URL's host. */
type SecretValue = (key: string, url: string) => Promise<string | undefined>;

/** How long a key is used before it is looked up again, so that not every call decrypts it. */
const keyKeptMs = 30_000;

/** The same of settings that were read already; without `secret` no provider's key is to be had. */
export function modelsIn(
  environment: ModelConfig,
  settings: ModelSettings,
  secret: SecretValue = async () => undefined,
): OrganizationModels {
  const own = settings.providers.map((provider) => providerOf(provider, secret));
  const isOwn = (name: string | undefined): boolean => own.some((provider) => provider.name === name);
  const providers = [...own, ...environment.providers.filter(({ name }) => !isOwn(name))];
  const { defaultModel } = environment;
  const prices = new Map<string, ModelPrice>();
  // What the operator pays is no price of a provider that an organization put in its place.
  for (const [model, price] of environment.prices)
    if (!isOwn(parseModelName(model)?.provider)) prices.set(model, price);
  for (const [model, price] of Object.entries(settings.prices))
    prices.set(qualified(providers, model), {
      input: price.input_per_mtok,
      output: price.output_per_mtok,
      cached_input: price.cached_input_per_mtok,
      source: 'organization',
    });
  return {
    providers,
    defaultModel,
    prices,
    default: settings.default || (defaultModel === undefined ? '' : `${defaultModel.provider}/${defaultModel.name}`),
    allowed: settings.allowed,
    proOnly: settings.pro_only,
  };
}

function providerOf(
  { name, kind, base_url: baseUrl, secret: secretKey }: OwnProvider,
  secret: SecretValue,
): ModelProvider {
  const url = endpointOf(kind, baseUrl);
  let kept: { value: string; untilMs: number } | undefined;
  const key = async (): Promise<string> => {
    if (secretKey === '') return '';
    if (kept === undefined || kept.untilMs < performance.now())
      kept = { value: await keyIn({ name, url }, secretKey, secret), untilMs: performance.now() + keyKeptMs };
    return kept.value;
  };
  return { name, kind, url, key, operators: false, published: isVendors(kind, url) };
}

async function keyIn(
  { name, url }: { name: string; url: string },
  secretKey: string,
  secret: SecretValue,
): Promise<string> {
  const value = (await secret(secretKey, url))?.trim();
  if (value === undefined || value === '')
    throw new KeyMissing(
      `The provider ${name} needs the organization's secret ${secretKey}, which does not exist or whose allowed_hosts lack ${new URL(url).host}. Create the secret, or correct providers in the settings models.`,
    );
  if (isModelKey(value)) return value;
  throw new KeyMissing(
    `The organization's secret ${secretKey} contains characters that a provider's key cannot have. Store another value.`,
  );
}

/**
 * Whether `allowed` or `pro_only` names a model, written as a person did. Where its provider is not known here, as in an
 * API process without the environment of its workers, the name alone has to do.
 */
export function isAmong(models: OrganizationModels, patterns: readonly string[], model: string): boolean {
  const wanted = qualified(models.providers, model);
  const full = patterns.map((pattern) => qualified(models.providers, pattern));
  if (!wanted.startsWith('*/')) return matchesAny(full, wanted);
  return matchesAny(full.map(nameOf), nameOf(wanted));
}

function nameOf(model: string): string {
  return parseModelName(model)?.name ?? model;
}

/** Why the organization does not let anybody use a model; `''` when it does. */
export function problemOfUse(models: OrganizationModels, model: string): string {
  const { allowed } = models;
  if (allowed.length === 0 || isAmong(models, allowed, model)) return '';
  return `${model} is not allowed in this organization. Allowed models: ${allowed.join(', ').slice(0, 2_000)}`;
}

/**
 * Why a model that somebody names has no provider here; `''` when it has one, when none is configured at all, and where
 * only the workers know the operator's. At an API process that has none itself these are `anthropic`, `openai`, `google`.
 */
export function problemOfProvider(
  { role }: Pick<Context['config'], 'role'>,
  models: ModelConfig,
  model: string,
): string {
  return models.providers.length === 0 ? '' : unknownProvider({ role }, models, model);
}

/** The same, where having none is no excuse. */
export function unknownProvider({ role }: Pick<Context['config'], 'role'>, models: ModelConfig, model: string): string {
  const { ok, problem } = resolveModel(models, model);
  const isWorkers = role === 'api' && (!model.includes('/') || parseEnvironmentModel(model) !== undefined);
  return ok !== undefined || isWorkers ? '' : problem;
}
