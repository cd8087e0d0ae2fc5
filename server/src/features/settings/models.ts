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
import { matcherOf } from '../../lib/patterns.ts';
import type { ModelSettings, OwnProvider } from './namespaces/model-value.ts';

/** The models of an organization: its own providers before the environment's, and the models that may be used. */
export interface OrganizationModels extends ModelConfig {
  /** The default model; `''` for none. */
  readonly default: string;
  /** `[]` allows any. */
  readonly allowed: readonly string[];
  readonly proOnly: readonly string[];
}

/** Returns the value of an organization's secret; undefined if it does not exist or is not for this URL's host. */
type SecretValue = (key: string, url: string) => Promise<string | undefined>;

/** The time that a key is cached, so that not every call decrypts it. */
const keyKeptMs = 30_000;

/** Returns the models of settings; without `secret`, the keys of providers are unavailable. */
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
  // The operator's prices do not apply to a provider that the organization replaced.
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
 * Returns a test of a model as a user writes it against `allowed` or `pro_only`. If the model's provider is unknown here,
 * as in an API process without its workers' environment, only the name is compared.
 */
export function amongst(models: OrganizationModels, patterns: readonly string[]): (model: string) => boolean {
  const full = patterns.map((pattern) => qualified(models.providers, pattern));
  const isFull = matcherOf(full);
  const isBare = matcherOf(full.map(bareName));
  return (model) => {
    const wanted = qualified(models.providers, model);
    return wanted.startsWith('*/') ? isBare(bareName(wanted)) : isFull(wanted);
  };
}

/** Returns a test if a model requires the role `pro`. */
export function isProOnly(models: OrganizationModels): (model: string) => boolean {
  // Case-insensitive, because some servers accept any case, and a capital must not bypass the limit.
  const isListed = amongst(
    models,
    models.proOnly.map((pattern) => pattern.toLowerCase()),
  );
  return (model) => isListed(model.toLowerCase());
}

function bareName(model: string): string {
  return parseModelName(model)?.name ?? model;
}

/** Returns why the organization does not allow a model; `''` if it does. */
export function problemOfUse(models: OrganizationModels, model: string): string {
  const { allowed } = models;
  if (allowed.length === 0 || amongst(models, allowed)(model)) return '';
  return `${model} is not allowed in this organization. Allowed models: ${allowed.join(', ').slice(0, 2_000)}`;
}

/**
 * Returns why a requested model has no provider; `''` if it has one, if none is configured at all, and if only the
 * workers know the operator's providers. An API process without its own configuration assumes `anthropic`, `openai` and
 * `google`.
 */
export function problemOfProvider(
  { role }: Pick<Context['config'], 'role'>,
  models: ModelConfig,
  model: string,
): string {
  return models.providers.length === 0 ? '' : unknownProvider({ role }, models, model);
}

/** Like {@link problemOfProvider}, but fails without any provider, too. */
export function unknownProvider({ role }: Pick<Context['config'], 'role'>, models: ModelConfig, model: string): string {
  const { ok, problem } = resolveModel(models, model);
  const isWorkers = role === 'api' && (!model.includes('/') || parseEnvironmentModel(model) !== undefined);
  return ok !== undefined || isWorkers ? '' : problem;
}
