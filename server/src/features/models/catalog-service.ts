import type { Actor } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { modelId, resolveModel, type Model, type ModelConfig, type ModelPrice } from '../../lib/models.ts';
import { publishedModel, publishedModelNames } from '../../lib/published-models.ts';
import { amongst, isProOnly, type OrganizationModels } from '../settings/models.ts';
import { modelsOf } from './service.ts';

type CatalogContext = Parameters<typeof modelsOf>[0] & Pick<Context, 'db'>;

/** Twenty providers of one vendor would otherwise list its models twenty times. */
const mostModels = 500;

/**
 * Lists the models that sessions can name: the default, those that the settings and the operator name, and the published
 * ones of the configured vendors. Other models work, too, where the provider has them.
 */
export async function listModels(ctx: CatalogContext, { organization, principal, role }: Actor) {
  const models = await modelsOf(ctx, organization.id);
  const isAllowed = models.allowed.length === 0 ? () => true : amongst(models, models.allowed);
  const isForPro = isProOnly(models);
  const isRegular = principal.type === 'user' && role !== 'pro';
  const { ok: byDefault } = resolveModel(models, models.default);
  const items = catalog(models).map((model) => {
    const id = modelId(model);
    const allowed = isAllowed(id);
    const proOnly = isForPro(id);
    return {
      id,
      provider: model.provider.name,
      name: model.name,
      allowed,
      allowed_for_caller: allowed && !(proOnly && isRegular),
      pro_only: proOnly,
      is_default: byDefault !== undefined && modelId(byDefault) === id,
      ...factsOf(models, model),
    };
  });
  return { items };
}

function catalog(models: OrganizationModels): Model[] {
  const named = [models.default, ...models.allowed, ...models.proOnly, ...models.prices.keys()]
    .filter((name) => name !== '' && !name.includes('*'))
    .flatMap((name) => resolveModel(models, name).ok ?? []);
  const published = models.providers
    .filter((provider) => provider.published)
    .flatMap((provider) => publishedModelNames(provider.kind).map((name) => ({ provider, name })));
  return [...new Map([...named, ...published].map((model) => [modelId(model), model])).values()].slice(0, mostModels);
}

function factsOf({ prices }: Pick<ModelConfig, 'prices'>, model: Model) {
  const { kind, published: isVendors } = model.provider;
  const published = publishedModel(kind, model.name);
  const own = prices.get(modelId(model));
  const price = own ?? (isVendors ? published?.price : undefined);
  const source = own === undefined ? ('published' as const) : (own.source ?? 'operator');
  return {
    price: price === undefined ? null : { ...amounts(price), source },
    context_tokens: published?.contextTokens ?? null,
  };
}

function amounts({ input, output, cached_input: cached = input }: ModelPrice) {
  return { input_per_mtok: input, output_per_mtok: output, cached_input_per_mtok: cached };
}
