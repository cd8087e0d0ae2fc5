import type { Context } from '../../app/context.ts';
import { KeyMissing, modelId, resolveModel, type ModelProvider } from '../../lib/models.ts';
import { secretValue } from '../secrets/public.ts';
import { modelsIn, problemOfUse, type OrganizationModels } from '../settings/models.ts';
import { settingsOf } from '../settings/service.ts';

export type { OrganizationModels } from '../settings/models.ts';

type ModelContext = Pick<Context, 'db' | 'clock' | 'config' | 'keyRing'>;

/** Returns the models of an organization, with the keys of its providers. */
export async function modelsOf(ctx: ModelContext, orgId: string): Promise<OrganizationModels> {
  const settings = await settingsOf(ctx.db.kysely, orgId, 'models');
  return modelsIn(ctx.config.models, settings, (key, url) => secretValue(ctx, orgId, key, url));
}

/** Returns why a session without a model would have none; `''` if it has one, or if only the workers know. */
export async function modelProblem(ctx: ModelContext, orgId: string): Promise<string> {
  const models = await modelsOf(ctx, orgId);
  const { ok, problem } = resolveModel(models, models.default);
  if (ok === undefined) return ctx.config.role === 'api' ? '' : problem;
  const refusal = problemOfUse(models, modelId(ok));
  return refusal === '' ? keyProblem(ok.provider) : `The default model ${refusal}.`;
}

/** Returns why a provider's key is unavailable; `''` if it is available or not needed. */
export async function keyProblem(provider: ModelProvider): Promise<string> {
  try {
    await provider.key();
    return '';
  } catch (error) {
    if (error instanceof KeyMissing) return error.message;
    throw error;
  }
}
